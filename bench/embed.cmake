# Make a C header with a text file as a string: cmake -DINPUT=read.cl -DOUTPUT=read_cl.h -DNAME=READ_CL -P embed.cmake
file(READ "${INPUT}" text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
file(WRITE "${OUTPUT}" "static const char ${NAME}[] =\n    \"${text}\";\n")
