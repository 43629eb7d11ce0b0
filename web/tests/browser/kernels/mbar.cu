// -lineinfo
__global__ void mbar_dead(const float* in, float* out){
  __shared__ float s[64]; __shared__ unsigned long long bar; int t=threadIdx.x;
  unsigned a=(unsigned)__cvta_generic_to_shared(&bar);
  if(t==0) asm volatile("mbarrier.init.shared.b64 [%0], %1;"::"r"(a),"r"(64));
  __syncthreads();
  s[t]=in[t];
  if(t<63) asm volatile("{.reg .b64 st; mbarrier.arrive.shared.b64 st, [%0];}"::"r"(a):"memory");
  asm volatile("{.reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @p bra D; bra L; D: }"::"r"(a):"memory");
  out[t]=s[63-t];
}
