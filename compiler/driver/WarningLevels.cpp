//===- WarningLevels.cpp - What -W flags make of Skein's warnings ----------===//
#include "WarningLevels.h"

using namespace llvm;

namespace skein {

const std::vector<WarningLevels::Entry> &WarningLevels::all() {
  static const std::vector<Entry> Entries{
#define SKEIN_WARNING(Identifier, Name, FollowsWerror, Help) {Name, Help, FollowsWerror, true},
#include "rules/Warnings.def"
      {"pedantic", "what the rules find that goes wrong only if more happens than the source shows", true, false},
  };
  return Entries;
}

WarningLevels::WarningLevels() : States(all().size()) {
  for (size_t I = 0; I < States.size(); ++I)
    States[I].On = all()[I].Default;
}

std::string WarningLevels::nearest(StringRef Option) {
  const size_t Begin = Option.find("skein");
  StringRef Name = Option.substr(Begin).drop_front(strlen("skein"));
  Name.consume_front("-");
  const Entry *Nearest = nullptr;
  unsigned Distance = 1 + Name.size() / 3; // as many letters as may be wrong, as clang has it
  for (const Entry &E : all())
    if (unsigned D = Name.edit_distance(E.Name, true, Distance); D <= Distance) {
      Nearest = &E;
      Distance = D;
    }
  if (!Nearest)
    return "";
  return Option.take_front(Begin).str() + "skein-" + Nearest->Name.str();
}

WarningLevels::Outcome WarningLevels::apply(StringRef Flag) {
  bool Value = !Flag.consume_front("no-");
  if (Flag == "error") {
    for (size_t I = 0; I < States.size(); ++I)
      if (all()[I].FollowsWerror && !States[I].ErrorNamed)
        States[I].Error = Value;
    return Outcome::NotOurs;
  }
  bool SetsError = Flag.consume_front("error=");
  if (!Flag.consume_front("skein"))
    return Outcome::NotOurs;
  if (!Flag.empty() && !Flag.consume_front("-"))
    return Outcome::Unknown;

  bool Known = false;
  for (size_t I = 0; I < States.size(); ++I) {
    // All of them are those that are on by default; and none is none.
    if (Flag.empty() ? Value && !all()[I].Default : Flag != all()[I].Name)
      continue;
    Known = true;
    if (!SetsError) {
      States[I].On = Value;
      continue;
    }
    States[I].Error = Value;
    States[I].ErrorNamed = true;
    States[I].On |= Value; // as in clang, -Werror=x also turns x on
  }
  return Known ? Outcome::Applied : Outcome::Unknown;
}

void WarningLevels::silence() {
  for (State &S : States)
    S.On &= S.Error && S.ErrorNamed;
}

std::string WarningLevels::settings() const {
  std::string Text;
  for (size_t I = 0; I < States.size(); ++I)
    Text += (I ? "," : "") + all()[I].Name.str() + "=" +
            (!States[I].On     ? "off"
             : States[I].Error ? "error"
                               : "warning");
  return Text;
}

} // namespace skein
