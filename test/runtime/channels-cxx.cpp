// skein::channel: values of one type, loops, time, alternatives, exceptions; another type is refused by the compiler.
// RUN: %skein++ -std=c++20 -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %run -n 2 %t | FileCheck %s
// RUN: not %skein++ -std=c++20 -O2 -DWRONG -fsyntax-only %s 2>&1 | FileCheck --check-prefix=WRONG %s
#include <cstdio>
#include <skein/channel.hpp>
#include <string>

using namespace std::chrono_literals;

struct order {
  int number;
  double price;
};

static double sell(skein::channel<order> orders) {
  double sum = 0;
  for (const order &next : orders)
    sum += next.price;
  return sum;
}

int main() {
#ifdef WRONG
  skein::channel<std::string> texts; // WRONG: messages are copied as bytes: T must be trivially copyable
#endif
  skein::channel<order> orders(2);
  auto sum = skein::async(sell, orders);
  for (int i = 1; i <= 100; i++)
    orders.send({i, i * 0.5});
  orders.close();
  std::printf("sum %.1f, send to a closed one: %d\n", sum.get(), orders.send({0, 0}));
  // CHECK: sum 2525.0, send to a closed one: 0

  skein::channel<int> numbers, others(1, skein_nodes() - 1);
  std::printf("nothing in time: %d %d\n", numbers.receive_for(1ms).has_value(), numbers.send_for(1, 1ms));
  // CHECK: nothing in time: 0 0
  int number = 0, sent = 7;
  auto happened = skein::first_of(numbers.receives(number), others.sends(sent), skein::after(5s));
  std::printf("case %d, closed %d\n", happened.index, happened.closed);
  // CHECK: case 1, closed 0
  happened = skein::first_in_order(skein::when(false, others.receives(number)), skein::otherwise());
  std::printf("case %d\n", happened.index);
  // CHECK: case 1
  std::printf("it was %d\n", others.receive().value());
  // CHECK: it was 7
  others.close();
  happened = skein::first_of(numbers.receives(number), others.receives(number));
  std::printf("case %d, closed %d\n", happened.index, happened.closed);
  // CHECK: case 1, closed 1
  auto same = skein::channel<char>::of(numbers.handle());
  skein::thread other([=] { numbers.send(1); });
  try {
    same.receive();
  } catch (const skein::error &wrong) {
    std::printf("%s: %s\n", skein_error_name(wrong.code()), wrong.what());
  }
  // CHECK: SKEIN_EMEMORY: skein_channel_receive: the message has 4 bytes
  std::printf("%d\n", numbers.receive().value());
  // CHECK: 1
  numbers.free();
  try {
    numbers.receive();
  } catch (const skein::error &wrong) {
    std::printf("%s\n", skein_error_name(wrong.code()));
  }
  // CHECK: SKEIN_ETHREAD
}
