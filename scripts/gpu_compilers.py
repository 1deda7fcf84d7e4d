"""Compile programs for GPUs that are not here, and look at what came out: gpu_compilers.sh calls it.

usage: gpu_compilers.py [--all] [--only TARGET,...] CLANG BITCODE_FOLDER OCLOC LIBRARIES <LINES

LINES: "DEVICE KERNEL -cl-std=... -D...", of a device of tests/golden/print_geometry.c. OCLOC "": without Intel's targets.
--all: every program for each target of its device, and the table of docs/portability.md; else a sample of them, each for one
target. Exit status 1, with a line for each program that does not compile, that spills vector registers or has private memory,
or that reads less at once than its vectors have.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Each target, and the device of print_geometry whose programs it gets.
AMD = {"gfx90a": "amd", "gfx1030": "amd", "gfx1100": "amd"}
INTEL = {"tgllp": "tgllp", "dg2-g10": "dg2", "pvc": "pvc"}
LOAD_BYTES = 16  # what a work-item of these reads with one instruction, at most
SAMPLE = {"amd": 36, "tgllp": 8, "dg2": 8, "pvc": 8}  # programs of a device

Result = collections.namedtuple("Result", "target program error registers scalars lanes waves local load wanted faults")


def option(program, name, otherwise):
    found = re.search(rf" -D{name}=(\w+)", program)
    return found.group(1) if found else otherwise


def wanted_load(program):
    """Bytes of a vector of the program's, up to what one instruction reads."""
    bits = {"uchar": 8, "ushort": 16, "uint": 32, "ulong": 64}[option(program, "T", "")]
    one_by_one = program.startswith("few_rows") and option(program, "FUSED", "")
    if one_by_one or option(program, "LOAD", "STRIDED") == "STRIDED":
        return bits // 8
    wide = int(option(program, "WIDE", "1"))
    return min(LOAD_BYTES, bits // 8 * max(wide, int(option(program, "VEC", "1"))))


def run(command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **settings)
    return None if done.returncode == 0 else (done.stdout + done.stderr).strip()


# ---- AMD


def amd_libraries(bitcode, target):
    """The nearest control library at hand: 5.2.3 has none for gfx11, which differs in nothing that kernels call."""
    version = {"gfx1100": "1036"}.get(target, target[3:])
    wave = "on" if target.startswith("gfx9") else "off"
    names = f"""opencl ockl oclc_isa_version_{version} oclc_wavefrontsize64_{wave} oclc_abi_version_400 oclc_daz_opt_off
        oclc_finite_only_off oclc_unsafe_math_off oclc_correctly_rounded_sqrt_on"""
    return [word for name in names.split() for word in ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", f"{bitcode}/{name}.bc")]


AMD_LOAD = re.compile(r"\t(?:global|flat)_load_(\w+)")
AMD_BYTES = {"dwordx4": 16, "b128": 16, "dwordx3": 12, "b96": 12, "dwordx2": 8, "b64": 8, "dword": 4, "b32": 4}


def amd_main_load(text):
    """Bytes of the widest load of the loop that reads most, or of the code outside of loops."""
    loops, header, label = collections.defaultdict(list), None, None
    for line in text.splitlines():
        started = re.match(r"\.L(BB\d+_\d+):|; %bb\.\d+:", line)
        if started:
            header, label = None, started.group(1)
        inside = re.search(r"in Loop: Header=(BB\d+_\d+)", line)
        if inside:
            header = inside.group(1)
        elif "Inner Loop Header" in line:
            header = label
        load = AMD_LOAD.match(line)
        if load:
            narrow = 2 if "short" in load.group(1) or "16" in load.group(1) else 1
            loops[header].append(AMD_BYTES.get(load.group(1), narrow))
    return max(max(loops.values(), key=sum, default=[0]))


def compile_amd(target, program, tools, folder):
    name, *options = program.split()
    out = folder / "out.s"
    error = run([tools.clang, "-x", "cl", "-I", "kernels", "--target=amdgcn-amd-amdhsa", f"-mcpu={target}", "-mcode-object-version=4", "-nogpulib", "-O3",
                 *amd_libraries(tools.bitcode, target), *options, "-S", "-o", out, f"kernels/families/{name}.cl"], env={**os.environ, "LD_LIBRARY_PATH": tools.libraries})
    if error:
        return failed(target, program, error)
    text = out.read_text()

    def number(key):
        return int(re.search(rf"\.{key}: +(\d+)", text).group(1))

    lanes = number("wavefront_size")
    # Scalar registers that are too many go to lanes of a vector register: no memory, no fault.
    return Result(target, program, None, number("vgpr_count"), number("sgpr_spill_count"), lanes,
                  int(re.findall(r"; Occupancy: (\d+)", text)[-1]), number("group_segment_fixed_size"), amd_main_load(text),
                  wanted_load(program),
                  {"private bytes": number("private_segment_fixed_size"), "spilled VGPRs": number("vgpr_spill_count")})


# ---- Intel


def intel_load(line):
    """Bytes that each lane reads from global memory with the message in this line; None where there is none."""
    lsc = re.search(r"\bload\.ugm\.d(\d+)(?:u32)?(?:x(\d+))?\.a\S* +\((\d+)\|", line)
    if lsc:
        return int(lsc.group(1)) // 8 * int(lsc.group(2) or 1) if int(lsc.group(3)) > 1 else None
    port = re.search(r"send\.dc[01] +\((\d+)\|.* 0x[0-9A-F]+ +0x([0-9A-F]+) .*rd:(\d+); (.*)", line)
    if not port or int(port.group(1)) == 1 or "read" not in port.group(4) or "block" in port.group(4):
        return None
    lanes, descriptor, registers = int(port.group(1)), int(port.group(2), 16), int(port.group(3))
    if descriptor & 0xFF == 0xFE:  # local memory
        return None
    narrow = re.search(r"byte .*read (\d+)b", port.group(4))  # in a lane of 32 bits
    return int(narrow.group(1)) // 8 if narrow else registers * 32 // lanes


def intel_main_load(text):
    """The width that brings most: jumps of this code do not tell which loop is which."""
    widths = collections.Counter(filter(None, map(intel_load, text.splitlines())))
    return max(widths, key=lambda width: width * widths[width], default=0)


def compile_intel(target, program, tools, folder):
    name, *options = program.split()
    if target == "pvc":  # whose OpenCL C 3.0 this ocloc does not compile: its own header wants images there
        options[0] = options[0].replace("CL3.0", "CL2.0")
    settings = {**os.environ, "LD_LIBRARY_PATH": tools.libraries, "IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": str(folder)}
    error = run([tools.ocloc, "compile", "-q", "-file", f"kernels/families/{name}.cl", "-device", target, "--format", "zebin",
                 "-options", " ".join(["-I", os.path.abspath("kernels"), *options]), "-out_dir", folder, "-output", "out",
                 "-output_no_suffix"], env=settings)
    binary = folder / "out"
    if error or not binary.exists():
        return failed(target, program, error or "no binary")
    # The section .ze_info, a text in YAML.
    info = re.search(rb"version: +'[\d.]+'\nkernels:.*?(?=\0|$)", binary.read_bytes(), re.S).group(0).decode(errors="replace")
    info = info.split("kernels_misc_info")[0]

    def number(key):
        found = re.search(rf"\b{key}: +(\d+)", info)
        return int(found.group(1)) if found else 0

    # A first attempt that spilled is made again; its own dump is the longer one's name.
    dumps = sorted(folder.glob(f"*_simd{number('simd_size')}_entry_*.asm"), key=os.path.getmtime)
    text = dumps[-1].read_text(errors="replace")
    spilled = re.search(r"^//\.spill size (\d+)", text, re.M)
    buffers = re.search(r"per_thread_memory_buffers:(.*)", info, re.S)
    private = sum(map(int, re.findall(r"\bsize: +(\d+)", buffers.group(1)))) if buffers else 0
    # Its messages read more than 4 bytes where they lie at multiples of 4 alone.
    wanted = wanted_load(program) if option(program, "LOAD", "ALIGNED") == "ALIGNED" else 1
    return Result(target, program, None, number("grf_count"), 0, number("simd_size"), 0, number("slm_size"), intel_main_load(text),
                  wanted, {"private bytes": private, "spilled bytes": int(spilled.group(1)) if spilled else 0})


def failed(target, program, error):
    return Result(target, program, error, 0, 0, 0, 0, 0, 0, 0, {})


# ---- which, and what is said of them


def sampled(programs, most):
    """So many, each of which has the most options that none before it of its kernel has."""
    left = {program: {(program.split()[0], one) for one in program.split()[1:]} for program in programs}
    while left and most > 0:
        program = max(left, key=lambda one: len(left[one]))
        new = left.pop(program)
        for options in left.values():
            options -= new
        yield program
        most -= 1


def jobs_of(lines, every, targets):
    """Every program for each target; of a sample, each for one target, in turn."""
    programs = collections.defaultdict(dict)  # by device, in the order drawn
    for line in lines:
        device, program = line.rstrip("\n").split(" ", 1)
        programs[device][program] = None
    for device in dict.fromkeys(targets.values()):
        its = [target for target, wants in targets.items() if wants == device]
        if every:
            yield from ((target, program) for program in programs[device] for target in its)
        else:
            yield from ((its[i % len(its)], program) for i, program in enumerate(sampled(programs[device], SAMPLE[device])))


def between(numbers):
    least, most = min(numbers), max(numbers)
    return f"{least}" if least == most else f"{least}-{most}"


def table(results, targets):
    """Of AMD's: vector registers and waves of a SIMD; of Intel's: work-items of a thread."""
    groups = collections.defaultdict(list)
    for one in results:
        groups[one.program.split()[0]].append(one)
    print("| family | programs |", " | ".join(targets), "| local memory, bytes | bytes a load | scalars in lanes |")
    print("|" + "---|" * (len(targets) + 5))
    for family, ones in sorted(groups.items()):
        cells = [family, str(len(ones))]
        for target in targets:
            its = [one for one in ones if one.target == target]
            cells.append("" if not its else between([o.lanes for o in its]) if target in INTEL else
                         f"{between([o.registers for o in its])}; {between([o.waves for o in its])}")
        cells += [between([o.local for o in ones]), between([o.load for o in ones]), between([o.scalars for o in ones])]
        print("|", " | ".join(cells), "|")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    for name in ("clang", "bitcode", "ocloc", "libraries"):
        parser.add_argument(name)
    tools = parser.parse_args()
    targets = {**AMD, **(INTEL if tools.ocloc else {})}
    if tools.only:
        targets = {t: d for t, d in targets.items() if t in tools.only.split(",")}

    def one(job):
        with tempfile.TemporaryDirectory() as folder:
            return (compile_amd if job[0] in AMD else compile_intel)(*job, tools, pathlib.Path(folder))

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = list(pool.map(one, jobs_of(sys.stdin, tools.all, targets)))
    wrong = 0
    for r in results:
        faults = [f"{number} {what}" for what, number in r.faults.items() if number]
        if r.load < r.wanted:
            faults.append(f"loads of {r.load} bytes in the main loop instead of {r.wanted}")
        if r.error or faults:
            wrong += 1
            print(f"{r.target}: {r.error or ', '.join(faults)}: {r.program}")
    if tools.all:
        table([r for r in results if not r.error], targets)
    print(f"gpu_compilers: {len(results)} programs compiled for {' '.join(targets)}, {wrong} of them not as they should be")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
