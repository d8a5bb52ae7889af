#!/usr/bin/env python3
"""Takes rules away from the analysis of addresses, one at a time, and says who notices.

    faults.py [--build build/dev] [--rules NAME,...] [--all] [--list] [--jobs 2] [--keep]

A rule that nobody would miss is either superfluous or not tested. So each rule of FAULTS is dropped, and three things are
asked, cheapest first, until one notices (with --all: all three):

    passes     a test of test/passes fails, which says what the pass should have made
    proof      the machine proof pins a call of the programs that it lets pass otherwise, and warns. This is the only one of the three
               that also notices in a user's program
    programs   a program of test/stress is wrong, crashes, or reports a stale address or another refusal than with the rule

The product knows nothing of this. The compiler's sources are copied, and in the copy each rule becomes conditional on an environment
variable; that copy is built once. A rule whose text is not found any more is an error: whoever changed it says here what it is now.

Exit status 1: a rule that nobody misses, or whose text has changed.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VARIABLE = "SKEIN_DROP_RULE"

# In `file` the text `old`, which must be there exactly once, becomes `new`; DROPPED stands for the question whether the rule is dropped.
Fault = collections.namedtuple("Fault", "name file old new")
FAULTS = [
    # What may be an address at all.
    Fault("loads-of-unknown-words", "addresses/WordEvidence.cpp",
          "return evidenceOfAccess(*Load) != Evidence::Number;",
          "return !DROPPED && evidenceOfAccess(*Load) != Evidence::Number;"),
    Fault("results-of-atomics", "addresses/WordEvidence.cpp",
          "if (isDeclaredAmbiguous(V) || isa<AtomicRMWInst, VAArgInst>(V))",
          "if (isDeclaredAmbiguous(V) || (!DROPPED && isa<AtomicRMWInst, VAArgInst>(V)))"),
    Fault("results-of-the-unseen", "addresses/WordEvidence.cpp",
          "if (const auto *Call = dyn_cast<CallBase>(V))\n    return isSeenByNobody(*Call);",
          "if (const auto *Call = dyn_cast<CallBase>(V))\n    return !DROPPED && isSeenByNobody(*Call);"),
    Fault("char-is-no-evidence", "addresses/WordEvidence.cpp",
          "Name->getString() == \"omnipotent char\"", "(!DROPPED && Name->getString() == \"omnipotent char\")"),
    Fault("unions-are-no-evidence", "addresses/WordEvidence.cpp",
          "if (namesUnion(At->getSourceElementType()))", "if (!DROPPED && namesUnion(At->getSourceElementType()))"),
    Fault("arguments-of-unknown-kind", "addresses/WordEvidence.cpp",
          "if (Untyped)\n        A.addAttr", "if (Untyped && !DROPPED)\n        A.addAttr"),
    Fault("numbers-that-others-fill", "addresses/WordEvidence.cpp",
          "Declared == Evidence::Number && MayBeDoubted &&", "!DROPPED && Declared == Evidence::Number && MayBeDoubted &&"),
    Fault("pointers-made-of-numbers", "addresses/AddressIntegers.cpp",
          "return isDeclaredNumber(Leaf);", "return !DROPPED && isDeclaredNumber(Leaf);"),
    Fault("copies-into-numbers", "ir/SourceFacts.cpp", "if (typesAreEvidence() && F.hasFnAttribute(CompiledAttribute)",
          "if (!DROPPED && typesAreEvidence() && F.hasFnAttribute(CompiledAttribute)"),
    Fault("copies-of-anything", "addresses/PartReaders.cpp", "if (isTypedCopy(Copy) || (Fixed && !Told))", "if (DROPPED || isTypedCopy(Copy) || (Fixed && !Told))"),
    Fault("copies-by-others", "addresses/CopiesToNumbers.cpp", "Call && isBodyUnseen(*Call))", "Call && !DROPPED && isBodyUnseen(*Call))"),
    # What becomes of it.
    Fault("differences-of-two-kinds", "addresses/AddressForms.cpp",
          "case Instruction::Sub:\n    if (kindsOf(I) == Kinds::Different)",
          "case Instruction::Sub:\n    if (!DROPPED && kindsOf(I) == Kinds::Different)"),
    Fault("low-bits-only", "addresses/AddressForms.cpp",
          "static constexpr unsigned LowBits = 12;\nstatic constexpr", "static const unsigned LowBits = DROPPED ? 40 : 12;\nstatic const"),
    Fault("tags-only", "addresses/AddressForms.cpp",
          "Tag.getMaxValue().ult(DeltaUnit)", "Tag.getMaxValue().ult(DROPPED ? uint64_t(1) << 60 : DeltaUnit)"),
    Fault("multiples-are-no-addresses", "addresses/AddressForms.cpp",
          "return {Linear::Known, Product};", "return {Linear::Known, DROPPED ? In[0].Coefficient : Product};"),
    # What is told across functions and modules.
    Fault("signatures-are-proved", "addresses/AddressSignatures.cpp",
          "return !Addresses.isProvedAddress(V); });", "return !DROPPED && !Addresses.isProvedAddress(V); });"),
    Fault("modules-that-keep-addresses", "addresses/AddressSignatures.cpp",
          "if (any_of(M, LosesSight) ||", "if (DROPPED) {\n  } else if (any_of(M, LosesSight) ||"),
    Fault("addresses-that-are-passed-on", "addresses/AddressIntegers.cpp",
          "if (isUnknown(At) || isDeclaredAddress(At) ||", "if (isUnknown(At) || (!DROPPED && isDeclaredAddress(At)) ||"),
    Fault("calls-before-a-word-is-told", "addresses/TellingPlaces.cpp",
          "(B != &Home && any_of(*B, mayMove))", "(B != &Home && !DROPPED && any_of(*B, mayMove))"),
    Fault("calls-before-a-pointer-is-told", "addresses/TellingPlaces.cpp",
          "|| any_of(*Ways[N], mayMove))", "|| (!DROPPED && any_of(*Ways[N], mayMove)))"),
    Fault("merges-that-are-kept", "addresses/TellingPlaces.cpp",
          "(Merges && IsOnlyFollowed(*User))", "(Merges && (DROPPED || IsOnlyFollowed(*User)))"),
    Fault("only-bytes-are-counted", "addresses/AddressForms.cpp", "m_SpecificInt(3)", "m_SpecificInt(DROPPED ? 1 : 3)"),
    Fault("equal-bytes-of-words", "addresses/AddressForms.cpp",
          "return Load && isUnknown(V) && form(V) == AddressForm::Either &&", "return Load && (DROPPED || (isUnknown(V) && form(V) == AddressForm::Either)) &&"),
    Fault("equal-bytes-of-locals", "addresses/AddressForms.cpp",
          "!isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand(), 0));",
          "(DROPPED || !isa<AllocaInst>(getUnderlyingObject(Load->getPointerOperand(), 0)));"),
    Fault("doubles-of-words", "addresses/AddressForms.cpp",
          "isUnknown(Word) && form(Word) == AddressForm::Either;", "(DROPPED || (isUnknown(Word) && form(Word) == AddressForm::Either));"),
    Fault("comparisons-that-are-kept", "addresses/TellingPlaces.cpp",
          "return conditionOf(By) && By.getParent()", "if (DROPPED)\n    return true;\n  return conditionOf(By) && By.getParent()"),
    Fault("steps-out-of-one-object", "addresses/AddressForms.cpp",
          "if (Gep && Gep->isInBounds())", "if (Gep && (DROPPED || Gep->isInBounds()))"),
    Fault("numbers-of-other-modules", "addresses/EscapingAddresses.cpp",
          "(Any && isKnownElsewhere(Variable));", "(Any && !DROPPED && isKnownElsewhere(Variable));"),
    Fault("numbers-made-elsewhere", "addresses/EscapingAddresses.cpp",
          "(FromElsewhere && !Addresses.keepsAddresses())", "(FromElsewhere && !DROPPED && !Addresses.keepsAddresses())"),
    Fault("numbers-in-halves", "addresses/EscapingAddresses.cpp",
          "if (!isWide(Declared)) {", "if (DROPPED && !isWide(Declared))\n      return false;\n    if (!isWide(Declared)) {"),
    Fault("ambiguous-signatures", "addresses/AddressSignatures.cpp", "\n  markAmbiguous(M, Of);", "\n  if (!DROPPED)\n    markAmbiguous(M, Of);"),
    Fault("escapes-are-told", "addresses/EscapingAddresses.cpp",
          "for (const Escape &E : Escapes) {", "for (const Escape &E : Escapes) {\n    if (DROPPED)\n      break;"),
    # What homing does with it.
    Fault("pointers-have-homes", "ir/PointerHoming.cpp",
          "homeValues(F, computeCrossedCalls(F, Pointers, Calls), Locals);",
          "if (!DROPPED)\n      homeValues(F, computeCrossedCalls(F, Pointers, Calls), Locals);"),
    Fault("addresses-have-homes", "ir/PointerHoming.cpp",
          "AsAddresses[V].assign(At.begin(), At.end());", "if (!DROPPED)\n          AsAddresses[V].assign(At.begin(), At.end());"),
    Fault("invariants-are-frozen", "ir/PointerHoming.cpp",
          "if (Addresses.isRecomputable(V))", "if (!DROPPED && Addresses.isRecomputable(V))"),
    Fault("unknown-words-are-shown", "ir/PointerHoming.cpp",
          "Shown.list(V, {V, At, Places});", "if (!DROPPED)\n          Shown.list(V, {V, At, Places});"),
    Fault("leaves-are-shown", "ir/PointerHoming.cpp",
          "D.Leaves = Shown.find(", "if (!DROPPED)\n          D.Leaves = Shown.find("),
    Fault("words-are-read-unchanged", "ir/SingleWords.cpp",
          "bool SingleWords::writesBetween(const Instruction &From, const Instruction &To) {",
          "bool SingleWords::writesBetween(const Instruction &From, const Instruction &To) {\n  if (DROPPED)\n    return false;"),
    Fault("doubts-are-shown", "ir/PointerHoming.cpp", "Shown.collect(D, {V, At, Places}, DT);", "if (!DROPPED)\n          Shown.collect(D, {V, At, Places}, DT);"),
    Fault("doubts-behind-doubts", "addresses/AddressForms.cpp",
          "    for (Value *Operand : inputs(*I))\n      if (!isa<BasicBlock>",
          "    if (DROPPED && !Found.empty())\n      continue;\n    for (Value *Operand : inputs(*I))\n      if (!isa<BasicBlock>"),
    Fault("doubts-of-numbers-in-hashes", "addresses/AddressForms.cpp", "  else\n    leaves(V, &Work);", "  else if (!DROPPED)\n    leaves(V, &Work);"),
    Fault("sums-of-two-kinds", "addresses/AddressForms.cpp",
          "return OfPointers ? Kinds::Same : Kinds::Different;", "return OfPointers || DROPPED ? Kinds::Same : Kinds::Different;"),
    Fault("sums-are-divided-alone", "addresses/AddressForms.cpp",
          "&& isSumOfAddresses(I.getOperand(0)))", "&& (DROPPED || isSumOfAddresses(I.getOperand(0))))"),
    Fault("tags-are-invariant", "addresses/AddressForms.cpp",
          "&& In[N] == Linear{Linear::Known, 0})", "&& (DROPPED || In[N] == Linear{Linear::Known, 0}))"),
    Fault("orders-are-no-invariants", "addresses/AddressForms.cpp",
          "return Compare.isEquality() &&", "return (DROPPED || Compare.isEquality()) &&"),
    Fault("results-beside-pointers", "addresses/EscapingAddresses.cpp",
          "if (V->getType()->isStructTy() && containsPointer(V->getType()))",
          "if (!DROPPED && V->getType()->isStructTy() && containsPointer(V->getType()))"),
    Fault("numbers-of-libraries", "addresses/EscapingAddresses.cpp",
          "leavesModule(*Call) || isNumberOfLibrary(*Call)", "leavesModule(*Call) || (!DROPPED && isNumberOfLibrary(*Call))"),
    Fault("loads-by-intrinsics", "addresses/WordEvidence.cpp",
          "return readsMemory(*Intrinsic);", "return !DROPPED && readsMemory(*Intrinsic);"),
    Fault("merged-witnesses", "ir/Witnesses.cpp", "const bool Each = Merges &&", "const bool Each = !DROPPED && Merges &&"),
    Fault("witnesses-have-homes", "ir/Witnesses.cpp", "!IsPart && (containsPointer(Leaf->getType()) ||",
          "!IsPart && ((!DROPPED && containsPointer(Leaf->getType())) ||"),
    Fault("merges-are-witnessed-from-their-beginning", "ir/Witnesses.cpp",
          "if (Merges)\n    for (PHINode *Phi : *Merges)", "if (DROPPED)\n    ;\n  else if (Merges)\n    for (PHINode *Phi : *Merges)"),
    Fault("words-come-again-in-loops", "ir/Witnesses.cpp",
          "if (!isInCycle(Block) || &Block == &Without)", "if (DROPPED || !isInCycle(Block) || &Block == &Without)"),
    Fault("numbers-in-dynamic-blocks", "ir/LocalLayouts.cpp",
          "      if (!Access.Pointer && !Access.Address)\n        continue;", "      if (DROPPED || (!Access.Pointer && !Access.Address))\n        continue;"),
    Fault("variadic-words-are-shown", "ir/PointerHoming.cpp",
          "for (unsigned N : Passed.Ambiguous) {", "for (unsigned N : Passed.Ambiguous) {\n        if (DROPPED)\n          break;"),
    # What memory holds.
    Fault("full-words-between-words", "addresses/PartsOfWords.cpp",
          "const bool Cuts = R.Part || Between;", "const bool Cuts = R.Part || (!DROPPED && Between);"),
    Fault("words-at-unknown-offsets", "addresses/PartsOfWords.cpp",
          "Words.Residues = Residues.takeVector();", "if (!DROPPED)\n        Words.Residues = Residues.takeVector();"),
    Fault("rows-of-words", "addresses/EscapingAddresses.cpp",
          "for (auto [First, Count] : Words.Rows)", "for (auto [First, Count] : DROPPED ? decltype(Words.Rows)() : Words.Rows)"),
    Fault("more-words-than-are-noted", "addresses/PartsOfWords.cpp",
          "Words.AtAnyByte = From.TooMany &&", "Words.AtAnyByte = !DROPPED && From.TooMany &&"),
    Fault("numbers-that-get-addresses", "ir/GlobalMaps.cpp",
          "if (!W.From || MayHoldAddress(*W.From))", "if (!DROPPED && (!W.From || MayHoldAddress(*W.From)))"),
    Fault("biased-addresses-are-sunk", "ir/FunctionPreparation.cpp",
          "sinkBiasedAddresses(F, Calls);\n  sink", "if (!DROPPED)\n    sinkBiasedAddresses(F, Calls);\n  sink"),
    Fault("byval-arguments-are-copied", "ir/FunctionPreparation.cpp",
          "\n  copyByvalArguments(F);", "\n  if (!DROPPED)\n    copyByvalArguments(F);"),
    Fault("constant-loads-are-ordered", "ir/FunctionPreparation.cpp",
          "\n  orderConstantLoads(F);", "\n  if (!DROPPED)\n    orderConstantLoads(F);"),
    # What is hidden where it lies, or by the way that the program takes.
    Fault("atomics-change-in-place", "addresses/EscapingAddresses.cpp",
          "        lookAtChange(*Change);", "        if (!DROPPED)\n          lookAtChange(*Change);"),
    Fault("words-that-assembly-reads", "addresses/EscapingAddresses.cpp",
          "if (Constraint.Type == InlineAsm::isInput)", "if (!DROPPED && Constraint.Type == InlineAsm::isInput)"),
    Fault("conditions-are-told", "addresses/EscapingAddresses.cpp",
          "if (F.hasOptNone() || Addresses.form(Condition) == AddressForm::Other)",
          "if (!DROPPED && (F.hasOptNone() || Addresses.form(Condition) == AddressForm::Other))"),
    Fault("indices-are-told", "addresses/EscapingAddresses.cpp",
          "        lookAtIndices(*Element);", "        if (!DROPPED)\n          lookAtIndices(*Element);"),
    Fault("rounded-pointers", "addresses/EscapingAddresses.cpp",
          "if (Call.getIntrinsicID() == Intrinsic::ptrmask && !readsForWitness(Call))",
          "if (!DROPPED && Call.getIntrinsicID() == Intrinsic::ptrmask && !readsForWitness(Call))"),
    Fault("rounded-integers", "addresses/EscapingAddresses.cpp",
          "if (Rounded)\n", "if (Rounded && !DROPPED)\n"),
    Fault("stores-by-intrinsics", "addresses/EscapingAddresses.cpp",
          "lookAtInteger(Argument, Call, !Visible);", "if (!DROPPED)\n          lookAtInteger(Argument, Call, !Visible);"),
    Fault("readers-of-parts", "addresses/EscapingAddresses.cpp",
          "for (Value *Word : Words.Loaded)", "for (Value *Word : DROPPED ? decltype(Words.Loaded)() : Words.Loaded)"),
    Fault("high-bits-only", "addresses/AddressForms.cpp",
          "constexpr unsigned AddressBits = 47;", "const unsigned AddressBits = DROPPED ? 40 : 47;"),
    # Addresses of the program.
    Fault("program-is-told", "addresses/EscapingAddresses.cpp",
          "for (Constant *Address : addressesIn(*C))", "for (Constant *Address : DROPPED ? decltype(addressesIn(*C))() : addressesIn(*C))"),
    Fault("words-may-lead-to-the-program", "addresses/EscapingAddresses.cpp",
          "E.How ? isWatched(B, Address)", "E.How && !DROPPED ? isWatched(B, Address)"),
    Fault("integers-in-globals", "addresses/EscapingAddresses.cpp",
          "      tellMadeHere(*Content, Store);", "      if (!DROPPED)\n        tellMadeHere(*Content, Store);"),
    Fault("initialisers-make-numbers", "addresses/NumbersOfProgram.cpp",
          "coefficientIn(C) != 0", "coefficientIn(C) != 0 && !DROPPED"),
    Fault("initialisers-lead-far-away", "addresses/NumbersOfProgram.cpp",
          "return leadsFarAway(C, DL);", "return !DROPPED && leadsFarAway(C, DL);"),
    Fault("program-is-a-witness", "ir/PointerHoming.cpp",
          "if (!Doubts.empty() || !Leaves.Each.empty())", "if (!DROPPED && (!Doubts.empty() || !Leaves.Each.empty()))"),
    Fault("constants-have-addresses", "addresses/AddressIntegers.cpp",
          "append_range(Leaves, addressesIn(*cast<Constant>(Operand)));", "DROPPED ? Leaves.push_back(Operand) : append_range(Leaves, addressesIn(*cast<Constant>(Operand)));"),
    Fault("escaped-locals-stay-live", "ir/LocalLiveness.cpp", "Both |= Escapes;", "if (!DROPPED)\n            Both |= Escapes;"),
]

QUESTION = '#include <cstdlib>\n#include <cstring>\nstatic inline bool skeinDrops(const char *Rule) {\n' \
           f'  const char *Name = std::getenv("{VARIABLE}");\n  return Name && !std::strcmp(Name, Rule);\n}}\n'


def build_faulty(build, place, jobs):
    """A build tree like `build` whose compiler drops the rule that the environment names. Returns its path and what is gone."""
    source = os.path.join(place, "source")
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns("build", ".git", "test"), symlinks=True)
    os.symlink(os.path.join(ROOT, "test"), os.path.join(source, "test"))
    gone = []
    changed = {}
    for fault in FAULTS:
        path = os.path.join(source, "compiler/passes", fault.file)
        text = changed.get(path) or open(path).read()
        if text.count(fault.old) != 1:
            gone.append(f"{fault.name}: compiler/passes/{fault.file} has {text.count(fault.old)} times: {fault.old!r}")
            continue
        changed[path] = text.replace(fault.old, fault.new.replace("DROPPED", f'skeinDrops("{fault.name}")'))
    for path, text in changed.items():
        with open(path, "w") as file:
            file.write(QUESTION + text)
    tree = os.path.join(source, "build/dev")
    quiet = {"stdout": subprocess.DEVNULL, "check": True}
    subprocess.run(["cmake", "--preset", "dev", "-B", tree], cwd=source, **quiet)
    subprocess.run(["cmake", "--build", tree, "-j", str(jobs), "--target", "SkeinPlugin"], **quiet)
    # The rest is the given build's.
    mirror = os.path.join(place, "mirror")
    shutil.copytree(build, mirror, symlinks=True, ignore=lambda folder, names: names if folder != build and
                    os.path.relpath(folder, build).split(os.sep)[0] not in ("bin", "lib") else
                    [n for n in names if folder == build and n not in ("bin", "lib")])
    for name in ("include", "share", "libexec"):
        if os.path.exists(os.path.join(build, name)):
            os.symlink(os.path.join(build, name), os.path.join(mirror, name))
    shutil.copy(os.path.join(tree, "lib/skein/SkeinPlugin.so"), os.path.join(mirror, "lib/skein/SkeinPlugin.so"))
    os.makedirs(os.path.join(mirror, "test"))
    with open(os.path.join(build, "test/lit.site.cfg.py")) as file:
        site = file.read().replace(build, mirror)
    with open(os.path.join(mirror, "test/lit.site.cfg.py"), "w") as file:
        file.write(f"import os\nconfig.environment['{VARIABLE}'] = os.environ.get('{VARIABLE}', '')\n" + site)
    return mirror, gone


def programs():
    return sorted(glob.glob(os.path.join(ROOT, "test/stress/programs/*.c*")) + glob.glob(os.path.join(ROOT, "test/stress/words/*.c*")))


def environment(rule):
    return {**os.environ, VARIABLE: rule or ""}


def compiled(mirror, rule, program, level, output):
    cxx = program.endswith(".cpp")
    command = [os.path.join(mirror, "bin", "skein++" if cxx else "skeincc"), level, "-fskein-stress=calls", "-Wskein-unproved",
               "-Wno-skein-global", *(["-std=c++20"] if cxx else []), program, "-o", output, "-lm"]
    return subprocess.run(command, env=environment(rule), capture_output=True, text=True)


REFUSAL = re.compile(r"[\d,]+ moves? (were|was) refused")


def outcome(mirror, rule, program, level, place):
    """How many calls the proof pinned, and what the program did: its output, its status, whether moves were refused and why."""
    binary = os.path.join(place, f"{os.path.basename(program)}{level}-{rule}")
    made = compiled(mirror, rule, program, level, binary)
    pinned = made.stderr.count("[-Wskein-unproved]")
    if made.returncode != 0:
        return pinned, None
    try:
        ran = subprocess.run([binary], capture_output=True, timeout=60, cwd=place,
                             env={**environment(None), "SKEIN_OPTIONS": "stress_report=on"}, stdin=subprocess.DEVNULL)
        texts = sorted(set(re.sub(r"\b(0x[0-9a-f]+|\d+)\b", "N", line)
                           for line in ran.stderr.decode(errors="replace").splitlines() if REFUSAL.search(line) or "used address" in line))
        did = (ran.returncode, ran.stdout, tuple(texts))
    except subprocess.TimeoutExpired:
        did = ("hangs",)
    finally:
        if os.path.exists(binary):
            os.remove(binary)
    return pinned, did


class Question:
    """Who notices that a rule is gone."""

    def __init__(self, mirror, place, jobs):
        self.mirror, self.place, self.jobs = mirror, place, jobs
        self.before = {}

    def passes(self, rule):
        lit = shutil.which("lit-22") or "lit"
        ran = subprocess.run([lit, "-q", f"-j{self.jobs}", os.path.join(self.mirror, "test/passes")], env=environment(rule),
                             capture_output=True, text=True)
        return sorted(set(re.findall(r"^  skein :: (\S+)", ran.stdout, re.M)))

    def stress(self, rule, all_of_it):
        """Names of programs at which the proof noticed, and of those that behaved in another way."""
        proof, wrong = [], []
        work = [(p, level) for p in programs() for level in ("-O0", "-O2")]

        def ask(job):
            if job not in self.before:
                self.before[job] = outcome(self.mirror, None, *job, self.place)
            return job, self.before[job], outcome(self.mirror, rule, *job, self.place)

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            waiting = []
            jobs = iter(work)
            while True:
                while len(waiting) < self.jobs and (job := next(jobs, None)) is not None:
                    waiting.append(pool.submit(ask, job))
                if not waiting:
                    break
                job, before, after = waiting.pop(0).result()
                name = f"{os.path.basename(job[0])} {job[1]}"
                if after[0] > before[0]:
                    proof.append(name)
                # Addresses are random: what is new has to be there a second time.
                elif after[1] != before[1] and outcome(self.mirror, rule, *job, self.place)[1] != before[1]:
                    wrong.append(name)
                if (proof or wrong) and not all_of_it:
                    jobs = iter(())
        return proof, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build/dev"))
    parser.add_argument("--rules", help="only these, separated by commas")
    parser.add_argument("--all", action="store_true", help="ask all three, and name everybody who notices")
    parser.add_argument("--list", action="store_true", help="print the rules")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="leave the faulty build where it is")
    arguments = parser.parse_args()
    if arguments.list:
        print(*(f"{f.name:32} {f.file}" for f in FAULTS), sep="\n")
        return 0
    wanted = arguments.rules.split(",") if arguments.rules else [f.name for f in FAULTS]
    place = tempfile.mkdtemp(prefix=".faults-", dir=os.path.dirname(ROOT))  # beside us, so that ccache knows most of it
    try:
        mirror, gone = build_faulty(os.path.abspath(arguments.build), place, arguments.jobs)
        print(*gone, sep="\n", end="\n" if gone else "")
        question = Question(mirror, place, arguments.jobs)
        healthy = question.passes("")
        if healthy:
            sys.exit("without any fault these fail: " + " ".join(healthy))
        unnoticed = []
        for rule in wanted:
            if any(line.startswith(rule + ":") for line in gone):
                continue
            passes = question.passes(rule)
            proof, wrong = question.stress(rule, arguments.all) if arguments.all or not passes else ([], [])
            words = [f"{who}: {names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}"
                     for who, names in (("passes", passes), ("proof", proof), ("programs", wrong)) if names]
            print(f"{rule:32} {'; '.join(words) or 'NOBODY'}", flush=True)
            if not words:
                unnoticed.append(rule)
        print(f"{len(wanted) - len(unnoticed)} of {len(wanted)} rules are missed by somebody")
        return 1 if unnoticed or gone else 0
    finally:
        if arguments.keep:
            print(f"left in {place}")
        else:
            shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
