// What a closure captures by reference, in C++.
// RUN: %verify-rule-cxx -Wskein-local-address %s
#include <functional>
#include <skein/thread.hpp>

static int of_process;

void captures(int argument) {
  int sum = 0, other = 0;
  skein::thread named([&sum] { sum++; }); // expected-warning {{address of local variable 'sum'}}
  skein::thread all([&] { sum += other + argument; });
  // expected-warning@-1 {{address of local variable 'sum'}}
  // expected-warning@-2 {{address of local variable 'other'}}
  // expected-warning@-3 {{address of local variable 'argument'}}
  auto result = skein::async([&other] { return other; }); // expected-warning {{address of local}}
  skein::thread passed([](int *to) { *to = 1; }, &sum);   // expected-warning {{address of local variable 'sum'}}
}

void values(int argument, int &elsewhere, const skein_attributes &attributes) {
  int sum = 0;
  skein::thread copied([=] { of_process += sum + argument; });
  skein::thread global([] { of_process++; });
  skein::thread reference([&elsewhere] { elsewhere++; }); // of what, nobody knows here
  skein::thread moved(std::move(copied));
  auto with = skein::async(attributes, [sum] { return sum; });
  auto local = [&] { sum++; }; // no thread gets it
  local();
}
