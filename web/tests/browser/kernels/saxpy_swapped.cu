__global__ void sax2(float* y, const float* x, int n, float a){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) y[i]=a*x[i]+y[i]; }
