//===- Plugin.cpp - Where clang, opt and llc find the passes ---------------===//
//
// The only registration of the plugin's LLVM half, SkeinPlugin.so. It serves every host:
//
//   clang-22   -fplugin=SkeinFrontend.so loads both halves early, so that the command line options of the passes exist
//              when -mllvm is parsed; -fpass-plugin=SkeinPlugin.so asks for llvmGetPassPluginInfo
//   opt-22     -load-pass-plugin=SkeinPlugin.so
//   llc-22     -load=SkeinPlugin.so   (the static object below is enough)
//   ld.lld     --load-pass-plugin=SkeinPlugin.so, for bitcode
//
//===----------------------------------------------------------------------===//
#include "Pipeline.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include <skein/version.h>

using namespace llvm;

static RegisterTargetPassConfigCallback BackEnd([](TargetMachine &, PassManagerBase &Passes, TargetPassConfig *Config) {
  skein::addCodeGenPasses(*Config, Passes);
});

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Skein", SKEIN_VERSION_TEXT, skein::addIRPasses, nullptr};
}
