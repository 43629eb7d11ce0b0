// Named barriers, which CUDA C++ has no plain spelling for: ID and COUNT are constants.
#define BARRIER_SYNC(ID, COUNT) asm volatile("bar.sync %0, %1;" ::"n"(ID), "n"(COUNT) : "memory")
#define BARRIER_ARRIVE(ID, COUNT) asm volatile("bar.arrive %0, %1;" ::"n"(ID), "n"(COUNT) : "memory")
