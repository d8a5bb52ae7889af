// `skein bench threads`: goroutines, with one core (GOMAXPROCS=1).
package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"
)

const many = 1000000
const atOnce = 100000

func row(name string, begin time.Time, count float64) {
	fmt.Printf("%s %.3f\n", name, float64(time.Since(begin).Nanoseconds())/count)
}

func create() {
	for round := 0; round < 2; round++ {
		var group sync.WaitGroup
		group.Add(atOnce)
		begin := time.Now()
		for i := 0; i < atOnce; i++ {
			go group.Done()
		}
		if round == 1 {
			row("create", begin, atOnce)
		}
		group.Wait()
	}
}

func null() {
	var group sync.WaitGroup
	begin := time.Now()
	for i := 0; i < many; i++ {
		group.Add(1)
		go group.Done()
		group.Wait()
	}
	row("null", begin, many)
}

func yields() {
	for i := 0; i < many; i++ {
		runtime.Gosched()
	}
}

func contextSwitch() {
	var group sync.WaitGroup
	group.Add(1)
	go func() { yields(); group.Done() }()
	begin := time.Now()
	yields()
	row("switch", begin, 2*many)
	group.Wait()
}

func locks() {
	var mutex sync.Mutex
	begin := time.Now()
	for i := 0; i < many; i++ {
		mutex.Lock()
		mutex.Unlock()
	}
	row("mutex", begin, many)
	semaphore := make(chan struct{}, 1)
	begin = time.Now()
	for i := 0; i < many; i++ {
		semaphore <- struct{}{}
		<-semaphore
	}
	row("semaphore", begin, many)
	mutex.Lock()
	begin = time.Now()
	refused := 0
	for i := 0; i < many; i++ {
		if !mutex.TryLock() {
			refused++
		}
	}
	row("mutex-try", begin, many)
	mutex.Unlock()
}

func pingPong() {
	const count = many / 2
	ping, pong := make(chan struct{}), make(chan struct{})
	go func() {
		for i := 0; i < count; i++ {
			<-ping
			pong <- struct{}{}
		}
	}()
	begin := time.Now()
	for i := 0; i < count; i++ {
		ping <- struct{}{}
		<-pong
	}
	row("semaphore-ping-pong", begin, count)
}

const choices = 8

// Sends count messages to the channels in turn.
func sender(count int, channels []chan int) {
	for i := 0; i < count; i++ {
		channels[i%len(channels)] <- i
	}
}

func channel() {
	var all [choices]chan int
	for i := range all {
		all[i] = make(chan int)
	}
	go sender(many, all[:1])
	begin := time.Now()
	for i := 0; i < many; i++ {
		<-all[0]
	}
	row("channel", begin, many)
	go sender(many, all[:])
	begin = time.Now()
	for i := 0; i < many; i++ {
		select {
		case <-all[0]:
		case <-all[1]:
		case <-all[2]:
		case <-all[3]:
		case <-all[4]:
		case <-all[5]:
		case <-all[6]:
		case <-all[7]:
		}
	}
	row("alternative", begin, many)
}

func main() {
	runtime.GOMAXPROCS(1)
	create()
	null()
	contextSwitch()
	locks()
	pingPong()
	channel()
}
