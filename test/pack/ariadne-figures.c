/* The programs of the paper on Ariadne, by its names: quicksort (Figure 2), a FIFO scheduler and the factorial that
   needs a LIFO one (Figure 7 and the text before it), and the multiplication of matrices with a thread for each element
   (Figure 12). What the figures leave out has been filled in, and main is `int main`. */
// RUN: %skeincc -O2 -DFIGURE=2 %s -o %t.2
// RUN: env SKEIN_OPTIONS=workers=2 %t.2 | FileCheck --check-prefix=SORTED %s
// RUN: %t.2 | FileCheck --check-prefix=SORTED %s
// SORTED: 200000 numbers in order
// RUN: %skeincc -O2 -DFIGURE=7 %s -o %t.7
// RUN: env SKEIN_OPTIONS=workers=1 %t.7 | FileCheck --check-prefix=SCHEDULED %s
// SCHEDULED: first in, first out: 0 1 2 3 4
// SCHEDULED-NEXT: last in, first out: 10! = 3628800
// RUN: %skeincc -O2 -DFIGURE=12 %s -o %t.12
// RUN: env SKEIN_OPTIONS=workers=2 %t.12 | FileCheck --check-prefix=PRODUCT %s
// RUN: %t.12 | FileCheck --check-prefix=PRODUCT %s
// PRODUCT: 1600 elements, all right
#include <skein/ariadne.h>
#include <stdio.h>
#include <stdlib.h>
#pragma clang diagnostic ignored "-Wskein-global" /* there is one node */
#pragma clang diagnostic ignored "-Wskein-process-heap"

#if FIGURE == 2

static void partition(int *numbers, int low, int high, int *index) {
  const int pivot = numbers[high];
  int to = low;
  for (int i = low; i < high; i++)
    if (numbers[i] < pivot) {
      const int other = numbers[to];
      numbers[to++] = numbers[i];
      numbers[i] = other;
    }
  numbers[high] = numbers[to];
  numbers[to] = pivot;
  *index = to;
}

void quicksort(int *ia, int low, int high) {
  int index; /* the partitioning index */
  if (low < high) {
    /* use first element to partition
       partition the array and return the partitioning index */
    partition(ia, low, high, &index);
    /* create a new thread to sort S1, the smaller part */
    a_create(0, quicksort, 6, SMALL, 3, 0, 0, ia, low, index - 1);
    /* S3, the larger part continues to be sorted by the calling thread */
    quicksort(ia, index + 1, high);
  }
}

#define SHM_KEY 100
#define PERMS 0600
int *aa;
int main(void) {
  struct thread_t whoami; /* main thread identifier */
  int size = 200000;      /* size of array to be sorted */
  int shm_id;             /* identifier for shared segment */
  int nprocs = 2;         /* number of processes to run */

  a_set_shared(0);
  a_shared_begin(nprocs);
  create_scheduler();
  /* create a shared segment to hold the array */
  aa = shmcreate(SHM_KEY, sizeof(int) * size, PERMS, &shm_id);
  ariadne(&whoami, 7, 1024);
  if (sh_process_id == 0) { /* parent process ? */
    srand(12345);           /* initialize seed */
    for (int i = 0; i < size; ++i)
      *(aa + i) = rand(); /* init array to be sorted */
    a_create(0, quicksort, 6, SMALL, 3, 0, 0, aa, 0, size - 1);
  }
  a_exit();
  int in_order = 1;
  for (int i = 1; i < size; i++)
    in_order &= aa[i - 1] <= aa[i];
  printf("%d numbers %s\n", size, in_order ? "in order" : "in disorder");
  a_shared_exit();
  shmfree(aa, shm_id);
  return 0;
}

#elif FIGURE == 7

/* The list of runnable threads. */
static tca *head, *tail;
static int lifo;

tca *getReadyThread(void) {
  tca *first = head;
  if (first) {
    head = first->next;
    tail = head ? tail : NULL;
    first->next = NULL;
  }
  return first;
}
void putReadyThread(tca *thread) {
  if (lifo && head) {
    thread->next = head;
    head = thread;
  } else if (tail) {
    tail = tail->next = thread;
  } else {
    head = tail = thread;
  }
}
void putTopThread(tca *thread) {
  thread->next = head;
  head = thread;
}
tca *getNamedThread(thread_t wanted) {
  for (tca **at = &head; *at; at = &(*at)->next)
    if ((*at)->id == wanted.id) {
      tca *found = *at;
      *at = found->next;
      tail = head;
      while (tail && tail->next)
        tail = tail->next;
      found->next = NULL;
      return found;
    }
  return NULL;
}

static void in_turn(int number) { printf(" %d", number); }

static long results[11];
/* The child has to run before its parent goes on, which nothing but the scheduler sees to. */
static void factorial(int n) {
  if (n == 0) {
    results[0] = 1;
    return;
  }
  a_create(0, factorial, 5, SMALL, 1, 0, 0, n - 1);
  a_yieldc();
  results[n] = n * results[n - 1];
}

int main(void) {
  thread_t self;
  ariadne(&self, 5, 1024);
  a_create_scheduler(getReadyThread, putReadyThread, putTopThread, getNamedThread);
  printf("first in, first out:");
  for (int i = 0; i < 5; i++)
    a_create(0, in_turn, 5, SMALL, 1, 0, 0, i);
  a_exit();
  lifo = 1;
  a_create(0, factorial, 5, SMALL, 1, 0, 0, 10);
  a_exit();
  printf("\nlast in, first out: 10! = %ld\n", results[10]);
  return 0;
}

#else

#define SHM_KEY 100 /* user shared memory segment */
#define PERMS 0600
struct usr_shmem {
  double *r, *a, *b;
};
struct usr_shmem *usr_shmem_ptr; /* address of user shared segment */
int numRowsA = 40, numColsA = 30, numRowsB = 30, numColsB = 40, nprocs = 2;

static void initialize_matrix(void) {
  for (int i = 0; i < numRowsA * numColsA; i++)
    usr_shmem_ptr->a[i] = i % 7;
  for (int i = 0; i < numRowsB * numColsB; i++)
    usr_shmem_ptr->b[i] = i % 5;
}
static void print_results(void) {
  int right = 0;
  for (int i = 0; i < numRowsA; i++)
    for (int j = 0; j < numColsB; j++) {
      double sum = 0;
      for (int k = 0; k < numColsA; k++)
        sum += usr_shmem_ptr->a[numColsA * i + k] * usr_shmem_ptr->b[numColsB * k + j];
      right += usr_shmem_ptr->r[numRowsA * i + j] == sum;
    }
  printf("%d elements, %s\n", right, right == numRowsA * numColsB ? "all right" : "others are wrong");
}

void dotProduct(int row, int col) {
  double result = 0.0;
  int i;

  for (i = 0; i < numColsA; i++)
    result += *(usr_shmem_ptr->a + numColsA * row + i) * *(usr_shmem_ptr->b + numColsB * i + col);
  *(usr_shmem_ptr->r + numRowsA * row + col) = result;
}

int main(void) {
  struct thread_t whoami;
  int i, j, i_id;

  a_set_shared(0);        /* use shared memory */
  a_shared_begin(nprocs); /* begin nprocs number of processes */
  create_scheduler();     /* install a custom scheduler */
  /* get an additional shared segment of memory */
  usr_shmem_ptr = shmcreate(SHM_KEY, sizeof(struct usr_shmem), PERMS, &i_id);
  ariadne(&whoami, 7, 1024); /* initialize Ariadne - priority 7 stack = 1024 */
  if (sh_process_id == 0) {
    /* read and store the matrices in the arrays a and b
     * matrices a, b, and r are allocated from primary shared memory */
    usr_shmem_ptr->a = shmemalloc(sizeof(double) * numRowsA * numColsA);
    usr_shmem_ptr->b = shmemalloc(sizeof(double) * numRowsB * numColsB);
    usr_shmem_ptr->r = shmemalloc(sizeof(double) * numRowsA * numColsB);
    initialize_matrix();
    /* create a thread that computes each element of the matrix */
    for (i = 0; i < numRowsA; i++)
      for (j = 0; j < numColsB; j++)
        a_create(0, dotProduct, 5, SMALL, 2, 0, 0, i, j);
  }
  a_exit(); /* exit the threads system */
  print_results();
  /* free memory allocated for the matrices here */
  shmemfree(usr_shmem_ptr->a);
  shmemfree(usr_shmem_ptr->b);
  shmemfree(usr_shmem_ptr->r);
  a_shared_exit();              /* stop children */
  shmfree(usr_shmem_ptr, i_id); /* free user segment */
  return 0;
}

#endif
