// -lineinfo
__global__ void rmsnorm_wrong(const float4* x, const float4* w, float4* y, int n, float eps){
  __shared__ float sh[32];
  int r=blockIdx.x, t=threadIdx.x; int n4=n>>2; float s=0;
  for(int i=t;i<n4;i+=blockDim.x){ float4 v=x[r*n4+i]; s+=v.x*v.x+v.y*v.y+v.z*v.z+v.w*v.w; }
  for(int o=16;o>0;o>>=1) s+=__shfl_xor_sync(~0u,s,o);
  if((t&31)==0) sh[t>>5]=s;
  __syncthreads();
  s=0; for(int i=0;i<blockDim.x/32;i++) s+=sh[i];
  float k=rsqrtf(s/n+eps);
  for(int i=t;i<n4;i+=blockDim.x){ float4 v=x[r*n4+i],g=w[i]; v.x*=k*g.x; v.y*=k*g.y; v.z*=k*g.z; v.w*=k*g.z; y[r*n4+i]=v; }
}
