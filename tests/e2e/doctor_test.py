"""`heapledger doctor`: what it says about programs of which the answer is known."""

import json
import os
import shutil
import subprocess
import sys
import unittest

import harness


def doctor(*words, env=None, folder=None):
    return subprocess.run([harness.TOOL, "doctor", *words], capture_output=True, cwd=folder,
                          env=harness.plain_environment(env), timeout=harness.HANG_SECONDS,
                          check=False)


def compiled(folder, *flags, name="program", source="int main(void) { return 0; }"):
    path = os.path.join(folder, name + ".c")
    with open(path, "w") as file:
        file.write(source)
    out = os.path.join(folder, name)
    subprocess.run(["cc", "-o", out, path, *flags], check=True)
    return out


class Doctor(unittest.TestCase):
    def setUp(self):
        self.folder = harness.fresh_folder()

    def asked(self, *words, status=0, **how):
        done = doctor("--json", *words, **how)
        self.assertEqual((done.returncode, done.stderr), (status, b""), done.stdout)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["schema"], "heapledger.doctor/1")
        self.assertEqual(answer["recordable"], status == 0)
        return answer

    def test_this_installation(self):
        answer = self.asked("--self")
        self.assertEqual((answer["program_checks"], answer["machine_checks"]), ([], []))
        checks = {check["name"]: check for check in answer["installation_checks"]}
        version = subprocess.run([harness.TOOL, "--version"], capture_output=True, check=True).stdout.decode().split()
        self.assertEqual(checks["version"]["text"].split(",")[0], version[1])
        if len(version) > 2:  # heapledger 0.1.0 (commit 0123456789ab)
            self.assertEqual(checks["version"]["text"].split()[-1], version[-1].rstrip(")"))
        self.assertEqual(os.path.realpath(checks["tool"]["text"]), os.path.realpath(harness.TOOL))
        self.assertTrue(os.path.isfile(checks["recorder"]["text"]), checks["recorder"])
        for name, command in (("call graphs", "dot"), ("pictures", "rsvg-convert"), ("films", "ffmpeg")):
            self.assertEqual(checks[name]["mark"], "ok" if shutil.which(command) else "note", checks[name])

    def test_an_installation_without_its_recorder(self):
        alone = os.path.join(self.folder, "heapledger")
        shutil.copy(harness.TOOL, alone)
        done = subprocess.run([alone, "doctor", "--self", "--json"], capture_output=True, check=False,
                              env=harness.plain_environment(), timeout=harness.HANG_SECONDS)
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        checks = {check["name"]: check for check in json.loads(done.stdout)["installation_checks"]}
        self.assertEqual((checks["recorder"]["mark"], checks["replay"]["mark"]), ("problem", "note"))

    def test_this_installation_and_a_program(self):
        done = doctor("--self", "ls")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"--self", done.stderr)

    def problems(self, answer):
        return " ".join(check["text"] for check in
                        answer["program_checks"] + answer["machine_checks"]
                        if check["mark"] == "problem")

    def test_the_machine_alone(self):
        answer = self.asked(folder=self.folder)
        self.assertEqual((answer["program"], answer["program_checks"]), ("", []))
        recorder = answer["machine_checks"][0]
        self.assertEqual(recorder["mark"], "ok")
        self.assertTrue(os.path.samefile(recorder["text"], harness.LIB))
        self.assertGreater(answer["clock"]["ns_per_tick"], 0)
        self.assertEqual(os.listdir(self.folder), [])

    def test_debug_information_and_where_it_is(self):
        program = compiled(self.folder, "-g")
        self.assertEqual(self.asked(program)["modules"][0]["debug"], "inside")
        debug = program + ".debug"
        subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
        subprocess.run(["objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", program],
                       check=True)
        module = self.asked(program)["modules"][0]
        self.assertEqual((module["debug"], os.path.realpath(module["debug_file"])),
                         ("separate", os.path.realpath(debug)))
        os.remove(debug)
        self.assertEqual(self.asked(program)["modules"][0]["debug"], "exports")

    def test_libraries_are_those_that_the_loader_finds(self):
        for program in (sys.executable, "/bin/bash", "/bin/ls"):
            listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
            wanted = {}
            for line in listed.stdout.splitlines():
                words = line.split()
                if "=>" in words and os.path.exists(words[2]):
                    wanted[words[0]] = os.path.realpath(words[2])
            seen = {module["name"]: os.path.realpath(module["path"])
                    for module in self.asked(program)["modules"][1:]}
            self.assertTrue(wanted)
            self.assertEqual({name: seen.get(name) for name in wanted}, wanted)

    def test_a_library_beside_the_program(self):
        library = os.path.join(self.folder, "libbeside.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", library],
                       check=True)
        program = compiled(self.folder, library, "-Wl,--no-as-needed", "-Wl,-rpath,$ORIGIN",
                           f"-L{self.folder}", "-lbeside")
        paths = [module["path"] for module in self.asked(program)["modules"]]
        self.assertIn(os.path.realpath(library), map(os.path.realpath, paths))
        os.remove(library)
        texts = [check["text"] for check in self.asked(program)["program_checks"]]
        self.assertTrue(any("not found" in text and "libbeside.so" in text for text in texts))

    def test_what_cannot_be_recorded(self):
        static = compiled(self.folder, "-static", name="static")
        self.assertIn("statically linked", self.problems(self.asked(static, status=1)))
        own = compiled(self.folder, "-rdynamic", name="own", source="""
            #include <stddef.h>
            void* malloc(size_t n) { (void)n; return 0; }
            void free(void* p) { (void)p; }
            int main(void) { return malloc(1) != 0; }""")
        self.assertIn("allocator", self.problems(self.asked(own, status=1)))
        self.assertIn("not found", self.problems(self.asked("no-such-program", status=1)))

    def test_a_script_is_followed_to_its_interpreter(self):
        script = os.path.join(self.folder, "script")
        with open(script, "w") as file:
            file.write(f"#!{sys.executable}\n")
        os.chmod(script, 0o755)
        answer = self.asked(script)
        self.assertEqual(os.path.realpath(answer["executable"]), os.path.realpath(sys.executable))
        self.assertEqual([pool["variable"] for pool in answer["pools"]], ["PYTHONMALLOC"])

    def test_pools(self):
        self.assertEqual(self.asked("/bin/ls")["pools"], [])
        program = os.path.join(self.folder, "pooled")
        source = program + ".cpp"
        with open(source, "w") as file:
            file.write("#include <ext/pool_allocator.h>\n#include <vector>\n"
                       "int main() { std::vector<int, __gnu_cxx::__pool_alloc<int>> v(9);\n"
                       "  return v[3]; }\n")
        subprocess.run(["c++", "-o", program, source], check=True)
        self.assertEqual(self.asked(program)["pools"], [
            {"pool": "libstdc++'s __pool_alloc and __mt_alloc", "variable": "GLIBCXX_FORCE_NEW",
             "value": "1"}])

    def test_variables_that_are_set(self):
        answer = self.asked(env={"LD_PRELOAD": "", "HEAPLEDGER": "depth=3"})
        notes = {check["name"]: check["text"] for check in answer["machine_checks"]
                 if check["mark"] == "note"}
        self.assertIn("depth=3", notes["HEAPLEDGER"])

    def test_an_output_folder_that_is_not_there(self):
        answer = self.asked("-o", "/nowhere/x.ledger", status=1)
        self.assertIn("/nowhere", self.problems(answer))

    def test_options_after_the_program_are_its_own(self):
        self.assertEqual(doctor("/bin/ls", "--json", "--nonsense").returncode, 0)
        self.assertEqual(doctor("--nonsense").returncode, 2)
        self.assertEqual(doctor("-o", "%q.ledger").returncode, 2)

    def test_the_text_reads_and_hides_nothing_harmful(self):
        hostile = os.path.join(self.folder, "red\x1b[31m")
        shutil.copy("/bin/true", hostile)
        done = doctor(hostile, env={"COLUMNS": "60"})
        self.assertEqual(done.returncode, 0)
        self.assertNotIn(b"\x1b", done.stdout)
        self.assertIn(b"can be recorded", done.stdout.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
