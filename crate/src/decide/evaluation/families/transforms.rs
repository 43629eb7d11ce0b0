//! Linear algebra in fewer multiplications, Fourier transforms, rotations, prefix sums, distances.

use super::*;

type Matrix = Vec<Vec<Term>>;

fn matrix(b: &Build, from: u32, size: usize) -> Matrix {
    (0..size).map(|row| b.elements(from + (row * size) as u32, size)).collect()
}

fn combined(b: &mut Build, a: &Matrix, c: &Matrix, minus: bool) -> Matrix {
    let of = |b: &mut Build, x: &Term, y: &Term| if minus { b.sub(*x, *y) } else { b.add(*x, *y) };
    a.iter().zip(c).map(|(a, c)| a.iter().zip(c).map(|(x, y)| of(b, x, y)).collect()).collect()
}

fn quarter(a: &Matrix, row: usize, column: usize) -> Matrix {
    let half = a.len() / 2;
    a[row * half..][..half].iter().map(|line| line[column * half..][..half].to_vec()).collect()
}

/// A product by definition, in blocks, by Strassen's or Winograd's seven products; or with one wrong.
fn product(b: &mut Build, a: &Matrix, c: &Matrix, form: usize) -> Matrix {
    let size = a.len();
    if form == 0 || size % 2 == 1 {
        let column = |at: usize| -> Vec<Term> { c.iter().map(|row| row[at]).collect() };
        let columns: Vec<Vec<Term>> = (0..size).map(column).collect();
        return a.iter().map(|row| columns.iter().map(|column| b.dot(row, column)).collect()).collect();
    }
    let [a11, a12, a21, a22] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| quarter(a, i, j));
    let [c11, c12, c21, c22] = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| quarter(c, i, j));
    let plus = |b: &mut Build, x: &Matrix, y: &Matrix| combined(b, x, y, false);
    let minus = |b: &mut Build, x: &Matrix, y: &Matrix| combined(b, x, y, true);
    let blocks = match form {
        1 => {
            let mut of = |x: &Matrix, y: &Matrix, z: &Matrix, w: &Matrix| {
                let (one, two) = (product(b, x, y, form), product(b, z, w, form));
                plus(b, &one, &two)
            };
            [
                of(&a11, &c11, &a12, &c21),
                of(&a11, &c12, &a12, &c22),
                of(&a21, &c11, &a22, &c21),
                of(&a21, &c12, &a22, &c22),
            ]
        }
        2 | 4 => {
            let (p, q) = (plus(b, &a11, &a22), plus(b, &c11, &c22));
            let m1 = product(b, &p, &q, form);
            let p = plus(b, &a21, &a22);
            let m2 = product(b, &p, &c11, form);
            let q = minus(b, &c12, &c22);
            let m3 = product(b, &a11, &q, form);
            let q = minus(b, &c21, &c11);
            let m4 = product(b, &a22, &q, form);
            let p = plus(b, &a11, &a12);
            let m5 = product(b, &p, &c22, form);
            let (p, q) = (minus(b, &a21, &a11), plus(b, &c11, &c12));
            let m6 = product(b, &p, &q, form);
            let (p, q) = (minus(b, &a12, &a22), plus(b, &c21, &c22));
            let m7 = product(b, &p, &q, form);
            let r = plus(b, &m1, &m4);
            let r = minus(b, &r, &m5);
            let first = plus(b, &r, &m7);
            let second = plus(b, &m3, &m5);
            let third = plus(b, &m2, if form == 4 { &m3 } else { &m4 });
            let r = minus(b, &m1, &m2);
            let r = plus(b, &r, &m3);
            [first, second, third, plus(b, &r, &m6)]
        }
        _ => {
            let s1 = plus(b, &a21, &a22);
            let s2 = minus(b, &s1, &a11);
            let s3 = minus(b, &a11, &a21);
            let s4 = minus(b, &a12, &s2);
            let t1 = minus(b, &c12, &c11);
            let t2 = minus(b, &c22, &t1);
            let t3 = minus(b, &c22, &c12);
            let t4 = minus(b, &t2, &c21);
            let p1 = product(b, &a11, &c11, form);
            let p2 = product(b, &a12, &c21, form);
            let p3 = product(b, &s4, &c22, form);
            let p4 = product(b, &a22, &t4, form);
            let p5 = product(b, &s1, &t1, form);
            let p6 = product(b, &s2, &t2, form);
            let p7 = product(b, &s3, &t3, form);
            let u2 = plus(b, &p1, &p6);
            let u3 = plus(b, &u2, &p7);
            let u4 = plus(b, &u2, &p5);
            [plus(b, &p1, &p2), plus(b, &u4, &p3), minus(b, &u3, &p4), plus(b, &u3, &p5)]
        }
    };
    let half = size / 2;
    let line = |at: usize| {
        let (left, right) = if at < half { (&blocks[0], &blocks[1]) } else { (&blocks[2], &blocks[3]) };
        left[at % half].iter().chain(&right[at % half]).copied().collect()
    };
    (0..size).map(line).collect()
}

#[test]
fn products_of_matrices() {
    let all = |b: &mut Build, size: usize, form: usize| {
        let (a, c) = (matrix(b, 0, size), matrix(b, 10_000, size));
        product(b, &a, &c, form).concat()
    };
    for size in [1, 2, 3, 4, 6, 8, 12, 16] {
        for form in 1..4 {
            for other in 0..form {
                let equal = proves(|b, optimized| all(b, size, if optimized { form } else { other }));
                assert!(equal, "{size}: {other} and {form}");
            }
        }
        if size % 2 == 0 && size < 9 {
            for form in 0..4 {
                assert!(
                    !proves(|b, optimized| all(b, size, if optimized { 4 } else { form })),
                    "{size}: {form}"
                );
            }
        }
    }
}

type Complex = [Term; 2];

impl Build {
    fn complex_sum(&mut self, a: Complex, c: Complex, minus: bool) -> Complex {
        [0, 1].map(|at| if minus { self.sub(a[at], c[at]) } else { self.add(a[at], c[at]) })
    }

    /// By four multiplications, or by three.
    fn complex_product(&mut self, a: Complex, c: Complex, three: bool) -> Complex {
        if !three {
            let (re, im) = (self.mul(a[1], c[1]), self.mul(a[1], c[0]));
            let own = self.mul(a[0], c[0]);
            return [self.sub(own, re), self.0.fma(a[0], c[1], im)];
        }
        let (one, two) = (self.mul(a[0], c[0]), self.mul(a[1], c[1]));
        let (p, q) = (self.add(a[0], a[1]), self.add(c[0], c[1]));
        let all = self.mul(p, q);
        let gap = self.sub(all, one);
        [self.sub(one, two), self.sub(gap, two)]
    }

    /// e^(-2πi·k/n) for n up to 8, exactly.
    fn twiddle(&mut self, k: usize, n: usize) -> Complex {
        let (one, minus) = (Term::ONE, self.q(-1, 1));
        let half = self.q(1, 2);
        let root = self.sqrt(half);
        let turned = self.f(Unary::Neg, root);
        [
            [one, Term::ZERO],
            [root, turned],
            [Term::ZERO, minus],
            [turned, turned],
            [minus, Term::ZERO],
            [turned, root],
            [Term::ZERO, one],
            [root, root],
        ][k * 8 / n % 8]
    }
}

/// By definition; by even and odd places; by halves; four at a time; with one sign wrong.
fn transform(b: &mut Build, x: &[Complex], form: usize) -> Vec<Complex> {
    let size = x.len();
    if size == 1 {
        return x.to_vec();
    }
    let every =
        |from: usize, step: usize| -> Vec<Complex> { x.iter().skip(from).step_by(step).copied().collect() };
    let half = size / 2;
    match form {
        0 => {
            let mut all = Vec::with_capacity(size);
            for k in 0..size {
                let mut sum = [Term::ZERO; 2];
                for (at, x) in x.iter().enumerate() {
                    let turn = b.twiddle(k * at % size, size);
                    let part = b.complex_product(*x, turn, false);
                    sum = b.complex_sum(sum, part, false);
                }
                all.push(sum);
            }
            all
        }
        1 | 4 => {
            let (even, odd) = (transform(b, &every(0, 2), form), transform(b, &every(1, 2), form));
            let mut all = vec![[Term::ZERO; 2]; size];
            for k in 0..half {
                let turn = b.twiddle(k, size);
                let part = b.complex_product(odd[k], turn, true);
                all[k] = b.complex_sum(even[k], part, form == 4);
                all[k + half] = b.complex_sum(even[k], part, true);
            }
            all
        }
        2 => {
            let (mut sums, mut gaps) = (Vec::new(), Vec::new());
            for at in 0..half {
                sums.push(b.complex_sum(x[at], x[at + half], false));
                let (gap, turn) = (b.complex_sum(x[at], x[at + half], true), b.twiddle(at, size));
                gaps.push(b.complex_product(gap, turn, false));
            }
            let (even, odd) = (transform(b, &sums, form), transform(b, &gaps, form));
            even.into_iter().zip(odd).flat_map(|(even, odd)| [even, odd]).collect()
        }
        _ if !size.is_multiple_of(4) => transform(b, x, 1),
        _ => {
            let parts: Vec<Vec<Complex>> = (0..4).map(|from| transform(b, &every(from, 4), form)).collect();
            let mut all = vec![[Term::ZERO; 2]; size];
            let quarter = size / 4;
            for k in 0..quarter {
                let mut turned = [[Term::ZERO; 2]; 4];
                for (at, part) in parts.iter().enumerate() {
                    let turn = b.twiddle(k * at % size, size);
                    turned[at] = b.complex_product(part[k], turn, true);
                }
                let (p, q) =
                    (b.complex_sum(turned[0], turned[2], false), b.complex_sum(turned[0], turned[2], true));
                let (r, s) =
                    (b.complex_sum(turned[1], turned[3], false), b.complex_sum(turned[1], turned[3], true));
                // -i·s
                let s = [s[1], b.f(Unary::Neg, s[0])];
                all[k] = b.complex_sum(p, r, false);
                all[k + quarter] = b.complex_sum(q, s, false);
                all[k + 2 * quarter] = b.complex_sum(p, r, true);
                all[k + 3 * quarter] = b.complex_sum(q, s, true);
            }
            all
        }
    }
}

#[test]
fn fourier_transforms() {
    let all = |b: &mut Build, size: usize, form: usize| {
        let x: Vec<Complex> = (0..size as u32).map(|at| [b.e(2 * at), b.e(2 * at + 1)]).collect();
        transform(b, &x, form).concat()
    };
    for size in [2, 4, 8] {
        for form in 1..4 {
            for other in 0..form {
                let equal = proves(|b, optimized| all(b, size, if optimized { form } else { other }));
                assert!(equal, "{size}: {other} and {form}");
            }
            assert!(!proves(|b, optimized| all(b, size, if optimized { 4 } else { form })), "{size}: {form}");
        }
    }
}

#[test]
fn rotary_embeddings() {
    // Turned by an angle for each pair, and the product of a turned row with a turned row.
    let turned = |b: &mut Build, pair: u32, angle: Term, form: usize| -> Complex {
        let (x, y) = (b.e(2 * pair), b.e(2 * pair + 1));
        let turn = |b: &mut Build, angle: Term| [b.f(Unary::Cos, angle), b.f(Unary::Sin, angle)];
        match form {
            0 => {
                let [c, s] = turn(b, angle);
                let (one, two) = (b.mul(y, s), b.mul(y, c));
                let own = b.mul(x, c);
                [b.sub(own, one), b.0.fma(x, s, two)]
            }
            1 => {
                let turn = turn(b, angle);
                b.complex_product([x, y], turn, true)
            }
            2 => {
                // In two steps.
                let (part, half) = (b.e(50_000 + pair), b.sub(angle, b.e(50_000 + pair)));
                let (one, two) = (turn(b, part), turn(b, half));
                let first = b.complex_product([x, y], one, false);
                b.complex_product(first, two, false)
            }
            3 => {
                // The other way round.
                let minus = b.f(Unary::Neg, angle);
                let [c, s] = turn(b, minus);
                let s = b.f(Unary::Neg, s);
                b.complex_product([c, s], [x, y], false)
            }
            _ => {
                let [c, s] = turn(b, angle);
                b.complex_product([x, y], [s, c], false)
            }
        }
    };
    let all = |b: &mut Build, size: usize, form: usize| {
        let mut outputs = Vec::new();
        for pair in 0..size as u32 {
            let (place, speed) = (b.e(40_000), b.e(41_000 + pair));
            let angle = b.mul(place, speed);
            outputs.extend(turned(b, pair, angle, form));
        }
        let size = b.sum_of_squares(&outputs);
        outputs.push(size);
        outputs
    };
    for size in SIZES.into_iter().filter(|size| *size <= 1000) {
        for form in 1..4 {
            let equal = proves(|b, optimized| all(b, size, if optimized { form } else { form - 1 }));
            assert!(equal, "{size}: {form}");
        }
    }
    for form in 0..4 {
        assert!(!proves(|b, optimized| all(b, 3, if optimized { 4 } else { form })), "{form}");
    }
}

#[test]
fn prefix_sums() {
    let all = |b: &mut Build, size: usize, form: usize| {
        let mut x = b.elements(0, size);
        match form {
            0 => (0..size).map(|to| b.sum(&x[..=to])).collect(),
            1 => {
                for at in 1..size {
                    x[at] = b.add(x[at - 1], x[at]);
                }
                x
            }
            2 | 4 => {
                // By distances that double.
                let mut step = 1;
                while step < size {
                    let before = x.clone();
                    for at in step..size {
                        let other = if form == 4 && step > 1 { x[at - step] } else { before[at - step] };
                        x[at] = b.add(before[at], other);
                    }
                    step *= 2;
                }
                x
            }
            _ => {
                // By tiles of seven, each with what all before it come to.
                let (mut outputs, mut carried) = (Vec::new(), Term::ZERO);
                for tile in x.chunks(7) {
                    for to in 0..tile.len() {
                        let own = b.sum(&tile[..=to]);
                        outputs.push(b.add(own, carried));
                    }
                    let own = b.sum(tile);
                    carried = b.add(carried, own);
                }
                outputs
            }
        }
    };
    for size in SIZES.into_iter().filter(|size| *size <= 257) {
        for form in 1..4 {
            assert!(
                proves(|b, optimized| all(b, size, if optimized { form } else { form - 1 })),
                "{size}: {form}"
            );
        }
    }
    for form in 0..4 {
        assert!(!proves(|b, optimized| all(b, 9, if optimized { 4 } else { form })), "{form}");
    }
}

#[test]
fn distances() {
    let distance = |b: &mut Build, size: usize, form: usize| {
        let (x, y) = (b.elements(0, size), b.elements(10_000, size));
        let two = b.q(2, 1);
        let square = match form {
            0 => {
                let gaps: Vec<Term> = x.iter().zip(&y).map(|(x, y)| b.sub(*x, *y)).collect();
                b.dot(&gaps, &gaps)
            }
            1 | 4 => {
                let (p, q, dot) = (b.dot(&x, &x), b.dot(&y, &y), b.dot(&x, &y));
                let sum = b.add(p, q);
                let twice = if form == 4 { dot } else { b.mul(dot, two) };
                b.sub(sum, twice)
            }
            2 => {
                let mut sum = Term::ZERO;
                for (x, y) in x.iter().zip(&y) {
                    let (own, gap) = (b.mul(*y, *y), b.sub(*x, *y));
                    let gap = b.sub(gap, *y);
                    let part = b.0.fma(*x, gap, own);
                    sum = b.add(sum, part);
                }
                sum
            }
            _ => {
                let sizes: Vec<Term> = x
                    .iter()
                    .zip(&y)
                    .map(|(x, y)| {
                        let gap = b.sub(*y, *x);
                        b.abs(gap)
                    })
                    .collect();
                b.dot(&sizes, &sizes)
            }
        };
        let root = b.sqrt(square);
        let minus = b.f(Unary::Neg, square);
        vec![root, b.exp(minus)]
    };
    for size in SIZES {
        for form in 1..4 {
            assert!(
                proves(|b, optimized| distance(b, size, if optimized { form } else { form - 1 })),
                "{size}: {form}"
            );
        }
    }
    for form in 0..4 {
        assert!(!proves(|b, optimized| distance(b, 5, if optimized { 4 } else { form })), "{form}");
    }
}
