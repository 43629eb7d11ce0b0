// -lineinfo
__global__ void embed_bad(const float* tab, const int* idx, float* out, int d){ int r=blockIdx.x; for(int j=threadIdx.x;j<d;j+=blockDim.x) out[r*d+j]=tab[(idx[r]+(j==3))*d+j]; }
