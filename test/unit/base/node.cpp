// Which nodes have the same cores (base/node.h).
#include "base/node.h"

#include <gtest/gtest.h>

using namespace skein;

TEST(Node, NodesShareCoresUnlessTheyAreBound) {
  const int shares = node.shares;
  node.shares = 1;
  EXPECT_EQ(nodes_on_same_cores(1), 1u);
  EXPECT_EQ(nodes_on_same_cores(3), 3u);
  node.shares = 2; // skein run -n 2 --bind
  EXPECT_EQ(nodes_on_same_cores(2), 1u);
  EXPECT_EQ(nodes_on_same_cores(3), 2u); // one came later
  EXPECT_EQ(nodes_on_same_cores(4), 2u);
  node.shares = shares;
}
