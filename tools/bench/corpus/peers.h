// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every peer library offers: libcorpus_gcc.so and libcorpus_clang.so on the host's memory,
// libcorpus_cuda.so on the device's. Matrices are dense, rows first.
#pragma once

#include <cstdint>

extern "C" {
// linear
void peer_gemm(float alpha, const float* a, const float* b, float beta, float* c, int n);
void peer_gemver(double alpha, double beta, const double* a, const double* u1, const double* v1,
                 const double* u2, const double* v2, const double* y, const double* z, double* ahat,
                 double* x, double* w, int n);
void peer_mvt(const float* a, const float* y1, const float* y2, float* x1, float* x2, int n);
void peer_atax(const double* a, const double* x, double* t, double* y, int m, int n);
void peer_2mm(float alpha, float beta, const float* a, const float* b, const float* c, float* t,
              const float* d0, float* d, int n);
void peer_correlation(const double* data, double* mean, double* deviation, double* scaled,
                      double* out, int m, int n);
void peer_doitgen(const double* a, const double* c4, double* out, int r, int q, int p);
void peer_gesummv(float alpha, float beta, const float* a, const float* b, const float* x, float* y,
                  int n);
void peer_spmv(const int* start, const int* column, const float* value, const float* x, float* y,
               int rows);
void peer_spmv_long(const int* start, const int* column, const double* value, const double* x,
                    double* y, int rows);
void peer_sgemm(const float* a, const float* b, float* c, int n);
void peer_transpose(const float* a, float* b, int rows, int columns);
// stencils
void peer_jacobi2d(float* a, float* b, int n, int steps);
void peer_red_black(double* u, const double* f, int n, int sweeps);
void peer_fdtd2d(float* ex, float* ey, float* hz, int n, int steps);
void peer_heat3d(double* a, double* b, int n, int steps);
void peer_hotspot(float* a, const float* power, float* b, int n, int steps);
void peer_srad(float* image, float* c, float* derivatives, int rows, int columns, float q0,
               float lambda);
void peer_wave(float* a, float* b, int n, int steps, float courant);
void peer_lattice_boltzmann(float* a, float* b, int h, int w, float omega);
void peer_stencil7(const float* a, float* out, int nx, int ny, int nz, float c0, float c1);
void peer_pathfinder(const int* wall, int* a, int* b, int rows, int columns);
// learning
void peer_softmax(const float* x, float* y, int rows, int columns);
void peer_layer_norm(const float* x, const float* gain, const float* bias, float* y, int rows,
                     int columns);
void peer_matvec(const float* a, const float* x, float* y, int rows, int columns);
void peer_relu_bias(const float* x, const float* bias, float* y, int rows, int columns);
void peer_embedding(const float* table, const int* words, float* out, int width, int count);
// of width 64
void peer_attention(const float* q, const float* k, const float* v, float* out, int rows, int keys);
void peer_nearest_four(const float* points, const float* queries, int* out, int n, int m);
void peer_matrices4(const float* a, const float* b, float* c, int n);
void peer_eigen3(const float* in, float* out, int n);  // xx xy xz yy yz zz to three eigenvalues
void peer_backprop(const float* in, const float* target, const float* weights, float* out,
                   float* adjusted, int inputs, int outputs);
void peer_kmeans(const float* points, const float* centres, int* member, int n, int features,
                 int clusters);
void peer_nn(const float* places, float* distance, float latitude, float longitude, int n);
// images
void peer_grey(const unsigned char* rgba, unsigned char* out, int n);
void peer_ycbcr(const unsigned char* rgb, unsigned char* out, int n);
void peer_blur3(const unsigned char* in, unsigned char* out, int w, int h);
void peer_blur5(const unsigned char* in, const float* weights, unsigned char* out, int w, int h);
void peer_gamma_table(const unsigned char* in, const unsigned char* table, unsigned char* out,
                      int n);
void peer_resize(const unsigned char* rgba, unsigned char* out, int w, int h, int ow, int oh);
void peer_blend(const unsigned char* front, const unsigned char* back, unsigned char* out, int n);
void peer_dilation(const unsigned char* in, unsigned char* out, int w, int h);
void peer_local_histogram(const unsigned char* in, unsigned char* out, int w, int h);
void peer_sobel(const float* in, unsigned char* out, int w, int h);
void peer_bilateral(const float* in, float* out, int w, int h, float space, float range);
void peer_box_filter(const float* in, float* between, float* out, int w, int h, int r);
// of 17 taps
void peer_convolution(const float* in, const float* taps, float* between, float* out, int w, int h);
void peer_mandelbrot(unsigned char* rgba, int w, int h, double left, double top, double step,
                     int limit);
// particles: points are x, y, z or x, y, z, w
void peer_nbody(const float* bodies, float* acceleration, int n);
void peer_soa_update(float* x, float* y, float* z, float* vx, float* vy, float* vz, float dt,
                     int n);
void peer_aos_update(void* bodies, float dt, int n);  // of 40 bytes
void peer_md_lj(const float* position, const int* neighbours, float* force, int n, int count,
                float cutoff);
// 64 particles a box
void peer_lava_md(const float* rv, const float* qv, float* fv, int side, float a2);
void peer_mri_q(const float* kx, const float* ky, const float* kz, const float* magnitude,
                const float* x, const float* y, const float* z, float* qr, float* qi, int n, int k);
void peer_tpacf(const float* stars, const float* bounds, int* counts, int n);
void peer_triad(const double* a, const double* b, double* c, double s, int n);
// finance
void peer_black_scholes(const float* s, const float* x, const float* t, float* call, float* put,
                        int n);
void peer_asian_option(float* payoff, int paths, int steps, float drift, float spread);
void peer_american_binomial(const float* spot, const float* strike, float* price, int n);
void peer_monte_carlo_pi(int* hits, int n, int draws);
// blocks
// `blocks`: how many the GPU's loops over the whole grid are launched with.
void peer_reduction(const float* in, float* total, int n, int blocks);
// n: a multiple of 65,536, of which there are at most 256
void peer_scan(const int* in, int* out, int n);
void peer_histogram(const unsigned char* in, unsigned* counts, int n, int blocks);
// on GPUs without shared memory
void peer_histogram_global(const unsigned char* in, unsigned* counts, int n, int blocks);
void peer_scatter_add(const int* where, const float* value, float* sums, int n, int cells);
void peer_sad(const unsigned char* now, const unsigned char* before, int* best, int w, int h);
void peer_sort_blocks(const float* in, float* out, int blocks);  // of 256
void peer_compaction(const int* in, int* out, int* count, int bound, int n);
// hashes
void peer_fnv(const unsigned char* rows, std::uint64_t* hashes, int n, int length);
void peer_crc(const unsigned char* data, const unsigned* table, unsigned* sums, int n, int length);
void peer_sha256(const std::uint32_t* messages, const std::uint32_t* constants,
                 std::uint32_t* digests,
                 int n);  // a message: 16 words
void peer_xxhash(const std::uint32_t* rows, std::uint32_t* hashes, int n, int words);
// first looks
void peer_needleman_wunsch(const int* reference, int* score, int n, int penalty);
void peer_shortest_paths(const int* start, const int* target, const int* weight, int* distance,
                         int n);
void peer_entropy(const unsigned char* in, float* out, int w, int h);
// blocks of 16 words
void peer_chacha20(const unsigned* key, const unsigned* nonce, const unsigned* text, unsigned* out,
                   int n);
void peer_haversine(const double* pairs, double* distance, int n);
void peer_mandelbulb(float* image, int w, int h);
// six numbers a ray and a box
void peer_ray_boxes(const float* rays, const float* boxes, float* nearest, int* hit, int n,
                    int count);
void peer_syrk(float alpha, float beta, const float* a, float* c, int n, int m);
void peer_membranes(float* cells, const float* currents, int n, int steps, float dt);
void peer_max_pool(const float* in, float* out, int planes, int h, int w);
void peer_md5_search(const unsigned* wanted, int values, int keys, int* found, unsigned* digest);
// of eight dimensions
void peer_responsibilities(const float* data, const float* means, const float* inverses,
                           const float* constants, float* member, float* total, int n,
                           int clusters);
void peer_cavity(const double* u, const double* v, double* f, double* g, double step, double dt,
                 double reynolds, double mix, int n);
// slots of a key, or 0, and a payload; rows without a match become ~0u
void peer_hash_join(const unsigned* table, const unsigned* rows, unsigned* joined, unsigned slots,
                    int n);
// blocks of four words
void peer_aes(const unsigned* text, const unsigned* keys, const unsigned* spread,
              const unsigned char* box, unsigned* out, int n, int rounds);
// blocks of two words
void peer_xtea(const unsigned* key, const unsigned* text, unsigned* out, int n);
void peer_walsh(const float* in, float* out, int n, int points);
// model: spot, strike, rate, variance, and the variance's speed, mean, spread and correlation
void peer_heston(const float* model, int steps, float dt, float* payoff, int n);
void peer_cell_lists(const float* positions, float origin, float width, int side, int* counts,
                     int* lists, int room, int n);
void peer_su3(const double* a, const double* b, double* c, int n);
void peer_gaussian_pairs(int batch, int parts, int* counts, double* sums);
void peer_gram_schmidt(const float* initial, float* a, float* r, float* q, int m, int n);
// of five hidden numbers
void peer_lstm(const float* x, const float* in_weight, const float* weight, const float* bias,
               const float* out_weight, const float* out_bias, float* y, int n, int steps);
// an even number of iterations
void peer_mean_shift(const float* initial, float* points, float* next, int n, int iterations,
                     float radius2, float sigma);
void peer_string_match(const unsigned char* text, const int* start, const unsigned char* word,
                       int* first, int lines, int length);
// words of 32 bytes each
void peer_levenshtein(const unsigned char* words, const int* lengths, const unsigned char* query,
                      int* distance, int n, int letters);
void peer_hough(const unsigned char* image, const float* cosines, const float* sines, int threshold,
                int* votes, int w, int h, int angles, int radii);
// w and h: multiples of 8
void peer_dct(const float* in, float* out, int w, int h);
void peer_bootstrap(const float* data, unsigned seed, float* means, int n, int samples);
// of 80 rates in 40 steps
void peer_libor(const float* shocks, const float* volatility, const int* maturity,
                const float* swap_rate, float delta, float* value, int paths, int options);
// 32 direction numbers a dimension
void peer_sobol(const unsigned* directions, float* out, int n, int dimensions);
void peer_base64(const unsigned char* in, char* out, int n);
void peer_resampling(const double* x, const double* y, const double* sums, const double* u,
                     double* new_x, double* new_y, int n);
void peer_ell(const float* value, const int* column, const int* lengths, const float* x, float* y,
              int rows);
// blocks of 4x4
void peer_block_rows(const int* start, const int* column, const float* value, const float* x,
                     float* y, int block_rows);
void peer_morton(const float* points, const float* low, const float* scale, unsigned* codes, int n);
// edges from lower vertices to higher ones, sorted
void peer_triangles(const int* start, const int* from, const int* to, int* total, int edges);
// n + count - 1 samples
void peer_fir(const float* signal, const float* taps, float* out, int n, int count);
// an even number of steps
void peer_acoustic(float* a, float* b, const float* speed, int n, int steps);
void peer_trsm(const double* lower, const double* b, double* x, int n, int columns);
void peer_adam(float* weights, float* mean, float* square, const float* gradient, int n, float rate,
               float beta1, float beta2, float epsilon, float correction1, float correction2);
// histories of at most 200 loads
void peer_rainflow(const float* loads, const int* start, float* damage, int* cycles, int histories);
void peer_census(const unsigned char* left, const unsigned char* right, std::uint64_t* left_bits,
                 std::uint64_t* right_bits, unsigned char* disparity, int w, int h, int shifts);
// a point of a table: its energy and five cross sections
void peer_cross_sections(const double* tables, const int* start, const int* nuclides,
                         const double* densities, const double* energies, const int* materials,
                         double* out, int points, int lookups);
// in two dimensions, on a grid of n x n cells
void peer_material_points(const float* places, const float* speeds, const float* gradients,
                          const float* volumes, float dx, float dt, float* momentum, float* mass,
                          float* new_places, float* new_speeds, float* new_gradients,
                          float* new_volumes, int n, int count);
// an even number of steps
void peer_cloth(float* places, float* speeds, float* new_places, float* new_speeds, int n,
                int steps, float width, float dt);
void peer_density(const float* points, const float* samples, const float* widths, float* out, int n,
                  int count, int dimensions);
void peer_demosaicing(const unsigned short* sensor, unsigned short* green, unsigned short* rgb,
                      int w, int h);
}
