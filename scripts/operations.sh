#!/usr/bin/env bash
# Count what a kernel's loops do on an NVIDIA GPU that is not here: Clang makes PTX of a program, ptxas machine code for
# sm_90, and each loop with loads is a line: instructions, those of the integer pipe, loads and stores. NVIDIA's own OpenCL
# compiler makes about as many; of memory and waiting this says nothing.
#
# usage: operations.sh KERNEL OPTION...    as a plan's description has them (argmax-cl --explain), for example
#        operations.sh rows -DT=uint -DKIND=FLOAT -DMANTISSA=23 -DVEC=4 -DUNROLL=8 -DGROUP=256 -DLANES=256 -DCONSTANT_STRIDE=1 -DNV_PTX=1
#
# On Debian; Clang 14 and libclc from there, ptxas and nvdisasm from PyPI (pip, into build/operations).
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -eq 0 ] || [ ! -f "kernels/families/$1.cl" ]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
folder=$PWD/build/operations
mkdir -p "$folder"
unpack "$(dpkg --print-architecture)" "$folder/packages" clang-14 libclang-common-14-dev libclang-cpp14 libllvm14 libclc-14 libclc-14-dev
root=$folder/packages/root
if [ ! -x "$folder/venv/bin/python" ]; then
    need_packages python3-venv
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install -q --disable-pip-version-check nvidia-cuda-nvcc==13.5.37 nvidia-cuda-nvdisasm==13.5.37
fi
ptxas=$(find "$folder/venv" -name ptxas)
nvdisasm=$(find "$folder/venv" -name nvdisasm)
chmod +x "$ptxas" "$nvdisasm"

out=$folder/program
LD_LIBRARY_PATH=$root/usr/lib/$(gcc -print-multiarch):$root/usr/lib/llvm-14/lib "$root/usr/lib/llvm-14/bin/clang" \
    -x cl -target nvptx64--nvidiacl -Xclang -finclude-default-header -O3 -Ikernels "${@:2}" -Xclang -mlink-builtin-bitcode \
    -Xclang "$(find "$root" -name nvptx64--nvidiacl.bc)" -Xclang -target-cpu -Xclang sm_80 -Xclang -target-feature \
    -Xclang +ptx70 -S -o "$out.ptx" "kernels/families/$1.cl"
sed -i 's/^\.version.*/.version 8.0/; s/^\.target.*/.target sm_90/' "$out.ptx"
"$ptxas" -arch=sm_90 -O3 -v "$out.ptx" -o "$out.cubin" 2>&1 | grep -o 'Used [0-9]* registers\|[0-9]* bytes stack frame'
"$nvdisasm" "$out.cubin" | python3 -c '
import re, sys
INTEGER = re.compile(r"\b(IADD3|LOP3|SHF|ISETP|FSETP|HSETP2|HSET2|SEL|FSEL|PRMT|IMNMX|VIMNMX3?|FMNMX|HMNMX2|LEA|PLOP3|P2R|R2P|MOV"
                     r"|BMSK|SGXT|VIADD|VIADDMNMX|FSET)\b")
code, labels, loops = [], {}, set()
for line in sys.stdin:
    label, step = re.match(r"\s*(\.L\S*):", line), re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?);", line)
    if label:
        labels[label[1]] = len(code)
    elif step:
        code.append(step[1])
for i, step in enumerate(code):
    jump = re.search(r"BRA.*?`\((\.L\S*?)\)", step)
    if jump and labels.get(jump[1], i + 1) <= i:
        loops.add((labels[jump[1]], i + 1))
print("instructions  integer  global loads  local loads  stores")
for first, end in [(0, len(code))] + sorted(loops):
    body = code[first:end]
    counts = [sum(bool(re.search(p, x)) for x in body) for p in (r"\bLDG", r"\bLDS", r"\bSTG")]
    if end - first == len(code) or counts[0] + counts[1]:
        print("%12d %8d %13d %12d %7d" % (len(body), sum(bool(INTEGER.search(x)) for x in body), *counts))
'
