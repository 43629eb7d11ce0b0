__global__ void four(const float* a,const float* b,float* c,int n){int i=threadIdx.x; if(i<n) c[i]=a[i]+b[i];}
