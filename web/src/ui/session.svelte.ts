// What the page knows: both texts, the spec, the engine, the current run and what is marked.
// Components read it and call its methods; only here do texts meet the engine.

import type { Engine } from '../core/engine'
import type { DiagnosticReport, EngineState, Inference, Input, Outcome, Report, Side, TextSource, TimelineDetail, TimelineOutline } from '../core/protocol'
import type { Shared } from '../core/share'
import { keepParameters, lineOf, replacesKernel } from '../core/kernels'
import type { Lesson } from '../core/lesson'
import { askable, isUnchosen, onlyUnchosen, wantedBy } from '../core/missing'
import { leftOut, ranOf } from '../core/ran'
import { rename, setKey, type TomlValue } from '../core/spec-edit'
import type { Sweep } from '../core/sweep'
import { evidenceTab, type Tab } from '../core/verdict'
import { Again } from './again'
import { startReader, startRunner } from './engines'
import { evident, hasEvidence, racing, type Marked } from './evidence'
import { firstExample, inputOf, type Example } from './gallery'
import { keep, kept, keptElsewhere, leaveLink, namePlace, place, wholeOf } from './kept'
import { fetchLater, laterIdle, laterLinks, laterSweep } from './later'
import { Naming } from './naming.svelte'
import { offline } from './offline.svelte'
import { Past, type Whole } from './past'
import { stillRefused } from './refuse'
import type { Focus, Mark, Notice, Run } from './run'
import { soon } from './soon'
import { text } from '../text'

const INFER_AFTER_MS = 60
const LATER_MS = 500
const KEEP_AFTER_MS = 300

const same = (a: Input, b: Input) => a.reference === b.reference && a.optimized === b.optimized && a.spec === b.spec && a.single === b.single

class Session {
  reference = $state('')
  optimized = $state('')
  spec = $state('')
  single = $state(false)
  example = $state<Example | null>(null)
  /** Counts texts that came in whole: examples and links. */
  loaded = $state(0)

  engine = $state<EngineState>({ kind: 'starting' })
  inference = $state.raw<Inference | null>(null)
  run = $state.raw<Run>({ kind: 'idle' })
  /** The texts have changed since the run. */
  changed = $state(false)
  tab = $state<Tab>('verdict')
  #before = $state.raw<Report | null>(null)
  /** The kernels of the latest run that left a timeline. */
  recorded = $state.raw<Side[]>([])
  /** The line that an editor's cursor, or the mouse over it, is on. */
  pointed = $state.raw<{ source: TextSource; line: number } | null>(null)
  /** The texts that the run is about. */
  verified = $state.raw<Input>({ reference: '', optimized: '', spec: '', single: false })
  /** The combinations of the latest run, if its spec sweeps, and their answers so far. */
  sweep = $state.raw<Sweep | null>(null)
  /** The visitor asked to stop. */
  halted = false
  /** The barrier that a stepping visitor stands at: its number from 0; past the last, the end of the run. */
  stopAt = $state.raw<{ side: Side; barrier: number } | null>(null)
  marks = $state.raw<Mark[]>([])
  /** Number of the race that is looked at. */
  race = $state(0)
  /** The latest request to editors to show a line, at most one each. */
  focus = $state.raw<Focus[]>([])
  notice = $state<Notice | null>(null)
  /** The verdict that a link or file came with, and the version that found it. */
  promised = $state.raw<{ verdict: string; version: string | null } | null>(null)

  /** Counts the visitor’s own wishes for an answer: each leads to where it is shown. */
  wished = $state(0)

  /** What has been written in answer to what is missing, once something has. */
  answers: { readonly waiting: boolean; use: () => Promise<boolean> } | null = null

  /** The first answer is shown, if there is one, and what nobody needed for it is being fetched. */
  settled = $state(false)

  /** What the reference was before it became a formula, or a kernel again. */
  others = { formula: '', kernel: '' }

  /** What is asked after a verdict. */
  readonly again = new Again(() => this.verified)

  /** Sources of kernels that the visitor has opened, by name. */
  sources = $state.raw<Record<string, string>>({})

  /** The lesson that is shown, and its step. */
  lesson = $state.raw<{ lesson: Lesson; at: number } | null>(null)

  /** The report that is shown: of the run, or, as long as that has none, of the one before. */
  report = $derived(this.run.kind === 'done' ? this.run.report : this.run.kind === 'idle' ? null : this.#before)
  /** Another run has begun since the report that is shown. */
  earlier = $derived(this.report !== null && this.run.kind !== 'done')
  /** What is shown is not the answer to the texts as they are. */
  stale = $derived(this.changed || this.earlier)
  running = $derived(this.run.kind === 'running')
  /** The kernels whose text is still to come. */
  empty = $derived<Side[]>((this.single ? (['optimized'] as const) : (['reference', 'optimized'] as const)).filter(side => this[side].trim() === ''))
  /** What was found in these very texts by a run, else by reading along. */
  #found = $derived(this.report && !this.stale ? this.report.diagnostics : (this.inference?.diagnostics ?? []).filter(({ primary }) => !this.empty.some(side => side === primary?.at.source)))
  /** Findings to show in the editors; that a kernel has to be chosen is asked instead. */
  diagnostics = $derived<DiagnosticReport[]>(this.#found.filter(found => !isUnchosen(found)))
  /** What only a person can say, and nobody has: `launch.block`, `scalars.n`, `optimized.entry`. */
  missing = $derived(askable(this.inference, this.empty, this.spec, wantedBy(this.#found)))

  /** The texts that came in whole last. */
  #given: Input = { reference: '', optimized: '', spec: '', single: false }
  readonly #past = new Past()
  readonly #naming = new Naming(() => this.report, () => this.inference)
  /** The place in the tab's history that the question is at. */
  #at = ''
  /** The question that each place showed last. */
  readonly #visited = new Map<string, Whole>()
  /** The example that other kernels took the place of, with its spec. */
  #left: { example: Example; spec: string } | null = null
  /** The visitor's own question, which a lesson took the place of. */
  #beforeLesson: Whole | null = null
  #runner: Engine | null = null
  #reader: Engine | null = null
  #keepTimer: ReturnType<typeof setTimeout> | undefined
  /** The question is the visitor's own, and kept. */
  #edited = false
  /** The spec that the inference was made with. */
  #inferredWith = ''
  readonly #inferSoon = soon(INFER_AFTER_MS, async () => {
    const input = this.input()
    const inference = await this.#reader?.infer(input)
    // A spec that was put away takes its names and shapes along.
    if (inference) this.inference = keepParameters(inference, input.spec === '' && this.#inferredWith !== '' ? null : this.inference)
    this.#inferredWith = input.spec
  })

  /** Follows the engine that answers, and starts the one that reads along when that one is ready, which has
   * the network and the cores for itself until then. */
  start(): void {
    this.#runner = startRunner()
    this.#runner.follow(state => {
      this.engine = state
      if (state.kind === 'starting' || this.#reader) return
      this.#reader = startReader()
      this.#inferSoon()
    })
    void this.#arrive()
  }

  input(): Input {
    return { reference: this.reference, optimized: this.optimized, spec: this.spec, single: this.single }
  }

  async load(example: Example): Promise<void> {
    const before = this.#own()
    this.#reset(example)
    this.#edited = before.edited
    const input = await inputOf(example).catch(() => null)
    if (this.example?.id !== example.id) return // another one was chosen meanwhile
    if (!input) {
      this.example = null
      if (before.edited) this.#keepSoon()
      this.notice = { tone: 'warn', text: text.examples.unreachable(example.title) }
      return
    }
    this.#replace({ ...input }, example, { before })
    this.wished++
    await this.verify()
  }

  edit(source: TextSource, now: string): void {
    const before = this[source]
    if (before === now) return
    this[source] = now
    if (this.#left && this.#isGiven()) this.#backToExample(this.#left)
    else if (source !== 'spec' && this.example && replacesKernel(this.#given[source], before, now)) this.#leaveExample(this.example)
    this.#changed()
  }

  /** An empty question. */
  clear(): void {
    this.#replace({ reference: '', optimized: '', spec: '', single: this.single }, null)
  }

  /** Whether nothing has changed since the texts came in whole, but that an example's spec was put away. */
  #isGiven(): boolean {
    const { reference, optimized, spec } = this.#given
    return this.reference === reference && this.optimized === optimized && (this.spec === spec || this.spec === '')
  }

  /** Brings the whole question back that the present one took the place of; false where there is none, or the present
   * one has been changed since. */
  undo(): boolean {
    return this.#isGiven() && this.#bring(this.#past.back(this.#whole()))
  }

  /** The other way round. */
  redo(): boolean {
    return this.#bring(this.#past.forward(this.#whole()))
  }

  #bring(whole: Whole | null): boolean {
    if (whole) this.#restore(whole)
    return whole !== null
  }

  #restore({ input, given, example, edited, asked }: Whole, fromLink = false): void {
    this.#put(input, example, fromLink)
    this.#given = given
    this.#edited = edited
    this.changed = true
    if (asked) void this.verify()
    else if (edited) this.#keepSoon()
  }

  #whole(): Whole {
    return { input: this.input(), given: this.#given, example: this.example, edited: this.#edited, asked: this.run.kind === 'done' && !this.stale }
  }

  /** The question at hand; in a lesson, the one that it took the place of. */
  #own(): Whole {
    return this.#beforeLesson ?? this.#whole()
  }

  /** Says that the visitor's own kernels were put away, and how to get them back. */
  #tellOf(before: Whole): void {
    if (!before.edited || before !== this.#past.latest || same(before.input, this.input())) return
    const bringBack = () => void this.#bring(this.#past.back(this.#whole()))
    this.notice = { tone: 'info', text: text.undo.putAway, action: { label: text.undo.bringBack, run: bringBack } }
  }

  #backToExample({ example, spec }: { example: Example; spec: string }): void {
    this.#left = null
    this.example = example
    this.spec = spec
    this.notice = null
  }

  /** The question is no longer the example's: nor are its name, its verdict and, unless it was edited, its spec. */
  #leaveExample(example: Example): void {
    this.example = null
    if (this.run.kind === 'done') this.run = { kind: 'idle' }
    this.marks = []
    this.tab = 'verdict'
    const { spec } = this.#given
    this.#left = { example, spec }
    if (spec === '' || this.spec !== spec) return
    this.spec = ''
    this.notice = { tone: 'info', text: text.spec.putAway, action: { label: text.spec.bringBack, run: () => this.edit('spec', spec) } }
  }

  /** The timeline that the latest run recorded of a kernel: summed up, and one by one. */
  readonly outline = async (side: Side): Promise<TimelineOutline | null> => (await this.#runner?.outline(side)) ?? null
  readonly detail = async (side: Side): Promise<TimelineDetail | null> => (await this.#runner?.detail(side)) ?? null

  /** What was inferred for the latest run. */
  async inferred(): Promise<Inference | null> {
    return (await this.#reader?.infer(this.verified)) ?? null
  }

  /** A text of the engine with the names of the kernels' authors. */
  plain(words: string): string {
    return this.#naming.plain(words)
  }

  /** The same for code: what somebody is to write down stands as it has to be written. */
  plainCode(code: string): string {
    return code.includes(' = ') ? code : this.plain(code)
  }

  /** What a kernel's parameter is called. */
  parameterName(name: string): string {
    return this.#naming.parameterName(name)
  }

  /** Edits one key of the spec; the text around it stays. */
  setSpec(path: string[], key: string, value: TomlValue | null): void {
    const edited = setKey(this.spec, path, key, value)
    if (edited === null) this.notice = { tone: 'warn', text: text.spec.notToml }
    else this.edit('spec', edited)
  }

  /** Gives a tensor or scalar another name; false where that cannot be. */
  rename(from: string, to: string): boolean {
    const edited = this.inference ? rename(this.spec, this.inference.spec, from, to) : null
    if (edited !== null) this.edit('spec', edited)
    return edited !== null
  }

  setSingle(single: boolean): void {
    this.single = single
    this.#changed()
  }

  /** Shows where kernels begin that have been chosen from their texts. That they had to be is no answer any more. */
  showKernels(names: Partial<Record<Side, string>>): void {
    if (this.run.kind === 'done' && onlyUnchosen(this.run.report)) this.run = { kind: 'idle' }
    this.focus = (['reference', 'optimized'] as const).flatMap(source => (names[source] ? [{ source, line: lineOf(this[source], names[source]), column: 1, still: true }] : []))
  }

  /** Verifies because the visitor wants it: with what is written in answer to what was missing. */
  async ask(): Promise<void> {
    if (stillRefused()) return
    this.wished++
    if (this.answers?.waiting && !(await this.answers.use())) return
    const said = this.notice
    // Who asks about other kernels has let go of those that were put away.
    if (said?.text === text.undo.putAway && this.empty.length === 0 && this.#edited) this.notice = null
    await this.verify()
    // What was said before has been read, and what it offers is not what an answer is about; where nothing could be run, it may help.
    if (this.notice === said && this.run.kind === 'done' && ranOf(this.run.report) !== 'nothing') this.notice = null
    const choice = this.missing.find(name => name.endsWith('.entry'))
    if (choice) void this.toField(choice)
  }

  async verify(): Promise<void> {
    if (this.run.kind === 'running' || !this.#runner) return
    if (this.empty.length > 0) {
      // Nothing to ask: what is missing is said in the answer's place.
      this.run = { kind: 'idle' }
      this.tab = 'verdict'
      this.marks = []
      return
    }
    if (this.#edited) this.#keepSoon()
    this.again.end()
    this.begin()
    this.changed = false
    this.marks = []
    const input = this.input()
    this.halted = false
    this.sweep = null
    if (this.tab === 'sweep') this.tab = 'verdict'
    if (!/\bsweep\b/.test(input.spec) || !(await this.#askAll(input))) this.show(input, await this.answer(input))
  }

  /** A run begins; the report before it is shown until it has one. */
  begin(): void {
    this.#before = this.report
    this.run = { kind: 'running', progress: null }
  }

  /** Asks all combinations of a spec with [sweep]; false where it asks one question. */
  async #askAll(input: Input): Promise<boolean> {
    const part = await laterSweep().catch(() => null)
    const asked = part && (await this.again.combinations(input))
    if (!asked) return false
    await part.ask(input, asked)
    return true
  }

  /** The engine's answer to a question, with its progress on the page. */
  async answer(input: Input): Promise<Outcome> {
    return await this.#runner!.verify(input, progress => {
      if (this.run.kind === 'running') this.run = { kind: 'running', progress }
    })
  }

  /** Shows an answer; `question` is what the visitor asked, of which `input` may be one combination. */
  show(input: Input, outcome: Outcome, question = input): void {
    this.changed = !same(this.input(), question)
    this.#later()
    switch (outcome.kind) {
      case 'report':
        this.verified = { ...input, all_ctas: !leftOut(outcome.report) }
        this.recorded = outcome.recorded
        this.stopAt = null
        this.run = { kind: 'done', report: outcome.report, seconds: outcome.seconds }
        this.#showEvidence(outcome.report)
        void offline.keep()
        return
      case 'stopped':
        this.run = { kind: 'stopped' }
        return
      case 'failed':
        this.run = { kind: 'failed', failure: outcome.failure }
        this.tab = 'verdict'
    }
  }

  /** Has the rest of the page fetched, once the first answer is shown. */
  #later(): void {
    if (this.settled) return
    setTimeout(() => {
      this.settled = true
      fetchLater()
      this.#naming.fetch()
    }, LATER_MS)
  }

  stop(): void {
    this.halted = true
    this.#runner?.stop()
  }

  goTo(place: { source: TextSource; line: number; column?: number }): void {
    this.focus = [{ source: place.source, line: place.line, column: place.column ?? 1, still: false }]
  }

  /** Marks places in the editors; each shows the first that is in it. With `still`, the page stays where it is. */
  mark(places: Marked[], still = false): void {
    this.marks = places.map(({ at, tone, label }) => ({ source: at.source, line: at.line, tone, label }))
    const first = (source: TextSource) => places.find(({ at }) => at.source === source)?.at
    this.focus = (['reference', 'optimized', 'spec'] as const).flatMap(source => first(source) ?? []).map(({ source, line, column }) => ({ source, line, column, still }))
  }

  /** The page's address with everything in it; without, where the format of links cannot be fetched. */
  async link(): Promise<string> {
    const [address] = window.location.href.split('#')
    const links = await laterLinks().catch(() => null)
    return links ? `${address}#${links.encode(this.shared())}` : address!
  }

  /** The question, with its verdict if there is one. */
  shared(): Shared {
    const report = this.stale ? null : this.report
    return { ...this.input(), verdict: report?.verdict ?? null, version: report?.version ?? null }
  }

  /** Shows a question that came from outside, and recomputes its verdict. */
  open(shared: Shared, from: { fromLink?: boolean; before?: Whole } = {}): void {
    this.#replace(shared, null, from)
    this.promised = shared.verdict === null ? null : { verdict: shared.verdict, version: shared.version }
    void this.verify()
  }

  /** To a field: the one of this name, else the first that only a person can fill. */
  async toField(name: string | null = null): Promise<void> {
    this.tab = 'verdict'
    const idle = await laterIdle().catch(() => null)
    await idle?.focusField(name)
  }

  startLesson(lesson: Lesson): void {
    const own = this.lesson ? this.#beforeLesson : this.#edited ? this.#whole() : null
    if (!this.lesson) this.#past.remember(this.#whole())
    this.lesson = { lesson, at: 0 }
    void this.goToStep(0)
    this.#beforeLesson = own
  }

  /** Shows a step of the lesson as it was prepared, and its evidence when it is there. */
  async goToStep(at: number): Promise<void> {
    const lesson = this.lesson?.lesson
    const step = lesson?.steps[at]
    if (!lesson || !step) return
    const own = this.#beforeLesson
    this.#put(step.input, null)
    this.lesson = { lesson, at }
    this.#beforeLesson = own
    await this.verify()
    if (this.lesson?.lesson === lesson && this.lesson.at === at && this.report && !this.stale) this.tab = step.tab
  }

  /** Who came with kernels of their own gets them back. */
  endLesson(): void {
    const own = this.#beforeLesson
    this.#beforeLesson = null
    if (own) {
      this.#past.remember(this.#whole())
      this.#restore(own)
    }
    this.lesson = null
  }

  /** Keeps what was edited, for a reload. */
  #keepSoon(): void {
    clearTimeout(this.#keepTimer)
    this.#keepTimer = setTimeout(() => this.#keepNow(), KEEP_AFTER_MS)
  }

  #keepNow(): void {
    keep(this.#at, { input: this.input(), asked: this.run.kind !== 'idle' && !this.changed })
  }

  #forget(): void {
    clearTimeout(this.#keepTimer)
    this.#edited = false
    keep(this.#at, null)
  }

  /** Another place in the tab's history: a link that was opened in the address bar, or the way back from one. */
  async moved(): Promise<void> {
    const before = this.#own()
    this.#visited.set(this.#at, before)
    if (this.#edited) this.#keepNow()
    const there = this.#visited.get(place() ?? '')
    if (!there || (!there.edited && window.location.hash.length > 1)) return await this.#arrive(before)
    this.#at = place()!
    this.#past.remember(before)
    this.#restore(there, true)
    this.#tellOf(before)
  }

  /** What was edited here before a reload; else reads a link, or shows the first example. */
  async #arrive(before: Whole | null = null): Promise<void> {
    const named = place()
    this.#at = named ?? namePlace()
    const fragment = window.location.hash
    const elsewhere = keptElsewhere(this.#at)
    const work = kept(this.#at) ?? (named === null && fragment.length <= 1 ? elsewhere : null)
    if (work) {
      this.#restore(wholeOf(work), true)
      keep(this.#at, work)
      if (!work.asked) this.#later()
      return
    }
    before ??= elsewhere ? wholeOf(elsewhere) : this.#whole()
    if (fragment.length <= 1) {
      this.#replace(firstExample.input, firstExample, { fromLink: true, before })
      void this.verify()
      return
    }
    const links = await laterLinks().catch(() => null)
    if (!links) {
      this.notice = { tone: 'warn', text: text.notFetched }
      return
    }
    const decoded = links.decode(fragment)
    if (decoded.ok) {
      this.open(decoded.shared, { fromLink: true, before })
      return
    }
    const { reference = '', optimized = '', spec = '', single = false } = decoded.recovered
    this.#replace({ reference, optimized, spec, single }, null, { fromLink: true, before })
    this.#later()
    const action = this.notice?.action
    this.notice = { tone: 'warn', text: text.link.damaged(decoded.message, `${reference}${optimized}${spec}` !== ''), ...(action && { action }) }
  }

  /** Another question in the place of this one, which can be brought back. */
  #replace(input: Input, example: Example | null, { fromLink = false, before = this.#own() } = {}): void {
    this.#past.remember(before)
    this.#put(input, example, fromLink)
    this.#tellOf(before)
  }

  #put(input: Input, example: Example | null, fromLink = false): void {
    if (!fromLink) leaveLink()
    this.#reset(example)
    this.reference = input.reference
    this.optimized = input.optimized
    this.spec = input.spec
    this.single = input.single
    this.#given = { ...input }
    this.others = { formula: '', kernel: '' }
    this.loaded++
    this.#inferSoon()
  }

  /** Forgets the run and what it showed. */
  #reset(example: Example | null): void {
    this.stop()
    this.#forget()
    this.lesson = null
    this.#beforeLesson = null
    this.#left = null
    this.promised = null
    this.example = example
    this.marks = []
    this.focus = []
    this.notice = null
    this.run = { kind: 'idle' }
    this.sweep = null
    this.recorded = []
    this.stopAt = null
    this.tab = 'verdict'
    this.wished = 0
  }

  #changed(): void {
    leaveLink()
    this.#past.forgetForward()
    this.changed = true
    // An example is not the visitor's own because it is looked at in another way.
    if (this.example && same({ ...this.#given, single: this.single }, this.input())) this.#forget()
    else {
      this.#edited = true
      this.#keepSoon()
    }
    this.marks = []
    this.promised = null
    this.#inferSoon()
  }

  #showEvidence(report: Report): void {
    const places = evident(report)
    if (places.length > 0) this.mark(places, true)
    this.race = 0
    if (evidenceTab(report) === null && !hasEvidence(report, this.tab)) this.tab = 'verdict'
  }

  markRace(index: number): void {
    this.race = index
    const race = this.report?.races[index]
    if (race) this.mark(racing(race))
  }
}

export const session = new Session()
