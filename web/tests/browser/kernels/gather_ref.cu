// -lineinfo
__global__ void embed(const float* tab, const int* idx, float* out, int d){ int r=blockIdx.x; for(int j=threadIdx.x;j<d;j+=blockDim.x) out[r*d+j]=tab[idx[r]*d+j]; }
