//! What lanes of a warp do together: shuffles, votes, reductions, matrices.
//!
//! Source: PTX ISA 9.0, 9.7.9.6 and 9.7.13.

use super::integer::{cut, number};
use super::program::Arg;
use super::run::{Machine, State, Stop};
use std::rc::Rc;

impl Machine<'_> {
    /// Does a collective if all its living members wait for it.
    pub(super) fn try_collective(&mut self, thread: usize) -> Result<(), Stop> {
        let State::Warp(mask) = self.threads[thread].state else { return Ok(()) };
        let warp = self.warp(thread);
        let op = self.program.code[self.threads[thread].pc].op.clone();
        let mut members = Vec::new();
        for lane in warp.clone().filter(|other| mask >> (other - warp.start) & 1 == 1) {
            let other = &self.threads[lane];
            match other.state {
                State::Done => continue,
                State::Warp(same) if same == mask && Rc::ptr_eq(&op, &self.program.code[other.pc].op) => {
                    members.push(lane);
                }
                _ => return Ok(()),
            }
        }
        if op.base == "wgmma" && op.has("wait_group") && self.lacks_others(members[0]) {
            return Ok(());
        }
        self.collective(&members, warp.start)?;
        members.iter().for_each(|member| self.release(*member));
        Ok(())
    }

    fn arg(&self, thread: usize, at: usize) -> Arg {
        self.program.code[self.threads[thread].pc].args.get(at).cloned().unwrap_or(Arg::Sink)
    }

    fn collective(&mut self, members: &[usize], start: usize) -> Result<(), Stop> {
        let op = self.program.code[self.threads[members[0]].pc].op.clone();
        let value =
            |machine: &Self, thread: usize, at: usize| machine.value(thread, &machine.arg(thread, at), None);
        match op.base.as_str() {
            "bar" => Ok(()),
            "shfl" => {
                let values: Vec<u64> =
                    members.iter().map(|m| value(self, *m, 1)).collect::<Result<_, _>>()?;
                let mut results = Vec::new();
                for member in members {
                    let lane = (member - start) as i64;
                    let b = (value(self, *member, 2)? & 31) as i64;
                    let c = value(self, *member, 3)?;
                    let (clamp, segment) = ((c & 31) as i64, (c >> 8 & 31) as i64);
                    let most = lane & segment | clamp & !segment;
                    let least = lane & segment;
                    let (from, inside) = match () {
                        _ if op.has("up") => (lane - b, lane - b >= most),
                        _ if op.has("down") => (lane + b, lane + b <= most),
                        _ if op.has("bfly") => (lane ^ b, lane ^ b <= most),
                        _ => (least | b & !segment, least | b & !segment <= most),
                    };
                    let source = if inside { from } else { lane };
                    // A lane that does not take part gives nothing defined: garbage.
                    let found = members.iter().position(|m| (m - start) as i64 == source);
                    let garbage = self.dice.below(u64::MAX);
                    results.push((found.map_or(garbage, |found| values[found]), inside));
                }
                for (member, (value, inside)) in members.iter().zip(results) {
                    match self.arg(*member, 0) {
                        Arg::Pair(d, p) => {
                            self.set(*member, &d, value)?;
                            self.set(*member, &p, u64::from(inside))?;
                        }
                        d => self.set(*member, &d, value)?,
                    }
                }
                Ok(())
            }
            "vote" => {
                let mut ballot = 0u64;
                for member in members {
                    ballot |= (value(self, *member, 1)? & 1) << (member - start);
                }
                let all = members.iter().fold(0, |all, member| all | 1u64 << (member - start));
                let result = match () {
                    _ if op.has("all") => u64::from(ballot == all),
                    _ if op.has("any") => u64::from(ballot != 0),
                    _ if op.has("uni") => u64::from(ballot == all || ballot == 0),
                    _ => ballot,
                };
                members.iter().try_for_each(|member| self.set(*member, &self.arg(*member, 0), result))
            }
            "match" => {
                let bits = op.ty.map_or(32, |ty| ty.bits);
                let values: Vec<u64> = members
                    .iter()
                    .map(|m| Ok(cut(value(self, *m, 1)?, bits)))
                    .collect::<Result<_, Stop>>()?;
                for (member, own) in members.iter().zip(&values) {
                    let same = members
                        .iter()
                        .zip(&values)
                        .filter(|(_, value)| *value == own)
                        .fold(0u64, |mask, (m, _)| mask | 1 << (m - start));
                    let all = values.iter().all(|value| value == own);
                    let mask = if op.has("any") || all { same } else { 0 };
                    match self.arg(*member, 0) {
                        Arg::Pair(d, p) => {
                            self.set(*member, &d, mask)?;
                            self.set(*member, &p, u64::from(all))?;
                        }
                        d => self.set(*member, &d, mask)?,
                    }
                }
                Ok(())
            }
            "redux" if op.has("f32") => {
                let magnitude = if op.has("abs") { 0x7fff_ffff } else { u64::MAX };
                let values: Vec<u64> = members
                    .iter()
                    .map(|m| Ok(value(self, *m, 1)? & magnitude))
                    .collect::<Result<_, Stop>>()?;
                // What NaNs do is not asked here.
                let less = |a: u64, b: u64| f32::from_bits(a as u32) < f32::from_bits(b as u32);
                let better = |a: u64, b: u64| if less(a, b) == op.has("min") { a } else { b };
                let result = values.into_iter().reduce(better).unwrap_or(0);
                members.iter().try_for_each(|member| self.set(*member, &self.arg(*member, 0), result))
            }
            "redux" => {
                let ty = op.ty.ok_or(Stop::Refused(op.text.clone()))?;
                let values: Vec<i128> = members
                    .iter()
                    .map(|m| Ok(number(ty, value(self, *m, 1)?)))
                    .collect::<Result<_, Stop>>()?;
                let reduce: fn(i128, i128) -> i128 = match op.suffixes[1].as_str() {
                    "add" => |a, b| a + b,
                    "min" => |a, b| a.min(b),
                    "max" => |a, b| a.max(b),
                    "and" => |a, b| a & b,
                    "or" => |a, b| a | b,
                    "xor" => |a, b| a ^ b,
                    _ => return Err(Stop::Refused(op.text.clone())),
                };
                let result = values.into_iter().reduce(reduce).unwrap_or(0);
                let result = cut(result as u64, 32);
                members.iter().try_for_each(|member| self.set(*member, &self.arg(*member, 0), result))
            }
            // Which lanes run together is the hardware's choice: here, all that are left.
            "activemask" => {
                let all = members.iter().fold(0, |all, member| all | 1u64 << (member - start));
                members.iter().try_for_each(|member| self.set(*member, &self.arg(*member, 0), all))
            }
            "elect" => {
                let leader = members[0];
                for member in members {
                    if let Arg::Pair(d, p) = self.arg(*member, 0) {
                        self.set(*member, &d, (leader - start) as u64)?;
                        self.set(*member, &p, u64::from(*member == leader))?;
                    }
                }
                Ok(())
            }
            "wgmma" => self.warpgroup(&op, members),
            "tcgen05" => self.on_tensor_memory(&op, members),
            _ => self.matrix(&op, members),
        }
    }
}
