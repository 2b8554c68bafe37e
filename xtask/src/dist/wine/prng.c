/* Stands in for bcryptprimitives.dll, which Wine lacks before version 9 and Rust's standard library loads. */
#include <stddef.h>

unsigned char __stdcall SystemFunction036(void *bytes, unsigned long length);

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, size_t length)
{
    return SystemFunction036(bytes, (unsigned long)length);
}
