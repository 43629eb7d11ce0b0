// -lineinfo
__global__ void rmsnorm_ref(const float* x, const float* w, float* y, int n, float eps){
  int r=blockIdx.x; 
  float s=0; for(int i=0;i<n;i++) s+=x[r*n+i]*x[r*n+i];
  float k=rsqrtf(s/n+eps);
  for(int i=threadIdx.x;i<n;i+=blockDim.x) y[r*n+i]=x[r*n+i]*k*w[i];
}
