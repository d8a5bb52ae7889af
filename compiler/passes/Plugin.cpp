//===- Plugin.cpp - Where clang, opt and llc find the passes ---------------===//
//
// The only registration of the plugin's LLVM half. One shared object serves every host:
//
//   clang-22   -fplugin=   loads it early (command line options of the passes exist when -mllvm is parsed, and the
//   Clang
//                          half registers itself) and -fpass-plugin= asks for llvmGetPassPluginInfo
//   opt-22     -load-pass-plugin=
//   llc-22     -load=      (the static object below is enough)
//
// It links libLLVM.so and libclang-cpp.so dynamically, the very files clang-22 has loaded, so there is one copy of
// LLVM's global state. opt and llc load libclang-cpp for nothing; two shared objects would have to share state by hand.
//
//===----------------------------------------------------------------------===//
#include "Pipeline.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

using namespace llvm;

static RegisterTargetPassConfigCallback BackEnd([](TargetMachine &, PassManagerBase &, TargetPassConfig *Config) {
  skein::addCodeGenPasses(*Config);
});

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Skein", SKEIN_VERSION, skein::addIRPasses, nullptr};
}
