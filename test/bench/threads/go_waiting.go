// `skein bench threads --waiting`: goroutines, with one core (GOMAXPROCS=1); as waiting.c does it.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func status() float64 {
	text, _ := os.ReadFile("/proc/self/status")
	bytes := 0.0
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "VmRSS") || strings.HasPrefix(line, "VmPTE") {
			kib, _ := strconv.ParseFloat(strings.Fields(line)[1], 64)
			bytes += 1024 * kib
		}
	}
	return bytes
}

//go:noinline
func inner(arrived, gate chan struct{}, above *int) int {
	here := *above + 1
	arrived <- struct{}{}
	<-gate
	return here + *above
}

//go:noinline
func middle(arrived, gate chan struct{}, above *int) int {
	here := *above + 1
	return inner(arrived, gate, &here) + here
}

func waits(arrived, gate chan struct{}, number int) {
	for middle(arrived, gate, &number) == 3*number+4 {
	}
	panic("wrong")
}

func main() {
	runtime.GOMAXPROCS(1)
	count, _ := strconv.Atoi(os.Args[1])
	rounds, _ := strconv.Atoi(os.Args[2])
	arrived, gate := make(chan struct{}, 1024), make(chan struct{})
	before, begin := status(), time.Now()
	for i := 0; i < count; i++ {
		go waits(arrived, gate, i)
		<-arrived
	}
	create := time.Since(begin)
	fmt.Printf("bytes %.1f\ncreate %.1f\n", (status()-before)/float64(count), float64(create.Nanoseconds())/float64(count))
	best := time.Duration(0)
	for round := 0; round < rounds; round++ {
		from := time.Now()
		go func() {
			for i := 0; i < count; i++ {
				gate <- struct{}{}
			}
		}()
		for i := 0; i < count; i++ {
			<-arrived
		}
		if took := time.Since(from); round == 0 || took < best {
			best = took
		}
	}
	fmt.Printf("wake %.1f\n", float64(best.Nanoseconds())/float64(count))
}
