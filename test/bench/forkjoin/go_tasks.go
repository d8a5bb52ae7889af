// `skein bench forkjoin`: a goroutine for each task; what is computed is that of work.h. GOMAXPROCS says how many
// workers there are.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

const childrenMax, hashRounds = 99, 16

type board struct {
	size, row            int
	columns, left, right uint32
}

type node struct {
	hash           uint64
	depth, deepest int
}

func (b board) freePlaces() uint32 { return (1<<b.size - 1) &^ (b.columns | b.left | b.right) }

func (b board) withQueen(place uint32) board {
	return board{b.size, b.row + 1, b.columns | place, (b.left | place) << 1, (b.right | place) >> 1}
}

func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

func (n node) children() int {
	count := 0
	for x := mixed(n.hash); n.depth < n.deepest && count < childrenMax && x < 0xcccccccccccccccc; x = mixed(x) {
		count++
	}
	return count
}

func (n node) child(number int) node {
	c := node{n.hash ^ uint64(number), n.depth + 1, n.deepest}
	for i := 0; i < hashRounds; i++ {
		c.hash = mixed(c.hash)
	}
	return c
}

func fibAlone(n int) int {
	if n < 2 {
		return n
	}
	return fibAlone(n-1) + fibAlone(n-2)
}

func queensAlone(b board) int {
	if b.row == b.size {
		return 1
	}
	ways := 0
	for places := b.freePlaces(); places != 0; places &= places - 1 {
		ways += queensAlone(b.withQueen(places & -places))
	}
	return ways
}

func utsAlone(n node) int {
	nodes := 1
	for i, count := 0, n.children(); i < count; i++ {
		nodes += utsAlone(n.child(i))
	}
	return nodes
}

func fib(n, cutoff int) int {
	if n < cutoff || n < 2 {
		return fibAlone(n)
	}
	var group sync.WaitGroup
	var other int
	group.Add(1)
	go func() {
		other = fib(n-1, cutoff)
		group.Done()
	}()
	own := fib(n-2, cutoff)
	group.Wait()
	return own + other
}

func queens(b board, cutoff int) int {
	if b.row >= cutoff || b.row == b.size {
		return queensAlone(b)
	}
	var group sync.WaitGroup
	var ways [32]int
	count, sum := 0, 0
	for places := b.freePlaces(); places != 0; places &= places - 1 {
		to, next := &ways[count], b.withQueen(places&-places)
		count++
		group.Add(1)
		go func() {
			*to = queens(next, cutoff)
			group.Done()
		}()
	}
	group.Wait()
	for _, each := range ways[:count] {
		sum += each
	}
	return sum
}

func uts(n node, cutoff int) int {
	if n.depth >= cutoff {
		return utsAlone(n)
	}
	var group sync.WaitGroup
	count, sum := n.children(), 1
	nodes := make([]int, count)
	for i := 0; i < count; i++ {
		to, child := &nodes[i], n.child(i)
		group.Add(1)
		go func() {
			*to = uts(child, cutoff)
			group.Done()
		}()
	}
	group.Wait()
	for _, each := range nodes {
		sum += each
	}
	return sum
}

func compute(name string, size, cutoff int) int {
	switch name {
	case "fib":
		return fib(size, cutoff)
	case "queens":
		return queens(board{size: size}, cutoff)
	default:
		return uts(node{hash: mixed(2), deepest: size}, cutoff)
	}
}

func main() {
	if len(os.Args) != 4 {
		os.Exit(2)
	}
	size, _ := strconv.Atoi(os.Args[2])
	cutoff, _ := strconv.Atoi(os.Args[3])
	for round := 0; round < 2; round++ { // the first makes memory warm
		begin := time.Now()
		result := compute(os.Args[1], size, cutoff)
		if round == 1 {
			fmt.Println(result, time.Since(begin).Nanoseconds())
		}
	}
}
