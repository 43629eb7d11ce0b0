__global__ void three(const float* b,float* c,const float* a){int i=threadIdx.x; c[i]=a[i]+b[i];}
