// -lineinfo
__global__ void matmul_tiled_race(const float* A,const float* B,float* C,int M,int N,int K){
  __shared__ float a[8][8], b[8][8]; int tx=threadIdx.x,ty=threadIdx.y;
  int c=blockIdx.x*8+tx,r=blockIdx.y*8+ty; float s=0;
  for(int k0=0;k0<K;k0+=8){
    a[ty][tx]=(r<M&&k0+tx<K)?A[r*K+k0+tx]:0.f;
    b[ty][tx]=(k0+ty<K&&c<N)?B[(k0+ty)*N+c]:0.f;
    __syncthreads();
    for(int k=0;k<8;k++) s+=a[ty][k]*b[k][tx];
  }
  if(r<M&&c<N) C[r*N+c]=s;
}
