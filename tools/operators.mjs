// npm run operators: has the release program tell the formula of each kernel of operators-rows.mjs, one after the
// other, and writes what it says into docs/operators.md, between the markers. `npm run operators -- WORD …` asks only
// about those whose name has one of the words, prints them, and writes nothing.
//
// Everything but the time is what the JSON report says. Time is the wall clock of the whole process in one run:
// reading, executing, finding the formula, proving it, and its re-check. A kernel with a fault ends the job.

import fs from 'node:fs'
import path from 'node:path'
import { answer, buildProgram, exact, machine, markdown, needTime, reportSection, short, watchMachine } from './measure.mjs'
import { tables } from './operators-rows.mjs'
import { fail, root, say, seconds } from './step.mjs'

const folder = path.join(root, 'tests/operators')
const languages = [
  ['cuda', 'CUDA'],
  ['triton', 'Triton'],
]

/** The specs of both languages, as `cuda/softmax`. */
const specs = languages.flatMap(([language]) =>
  fs.readdirSync(path.join(folder, language)).map(file => `${language}/${path.basename(file, '.toml')}`),
)
const listed = tables.flatMap(({ rows }) => rows.map(([name]) => name))
const unlisted = specs.find(spec => !listed.includes(spec.split('/')[1]))
if (unlisted) fail(`tests/operators/${unlisted}.toml is not in tools/operators-rows.mjs`)

function row(name, words, [language, title]) {
  const spec = path.join(folder, language, `${name}.toml`)
  if (!fs.existsSync(spec)) return []
  const { report: told, time } = answer('formula', spec)
  if (told.report.verdict !== 'race_free') fail(`${language}/${name}: ${told.report.verdict}: ${told.report.summary}`)
  const [ptx] = /[^/]+\.ptx/.exec(fs.readFileSync(spec, 'utf8'))
  const whole = told.outputs.every(({ formula }) => formula !== null)
  const lines = told.formula?.split('\n').map(line => `\`${line}\``) ?? []
  const formula = [...lines, ...(whole ? [] : ['*not found*'])].join('; ')
  const [checked] = told.checked
  console.log(`  ${language}/${name}: ${short(time)} s, ${formula}`)
  const sizes = told.report.tensors.map(({ name, shape }) => `${name} ${shape.join(' × ')}`).join(', ')
  return [[words, title, `\`${ptx}\``, sizes, formula, exact(checked?.elements ?? 0), short(time)]]
}

const columns = ['operator', 'language', 'kernel', 'sizes', 'formula told', 'proved for so many elements', 'time (s)']

const wanted = process.argv.slice(2).map(word => word.toLowerCase())
needTime()
const report = reportSection('operators', 'docs/operators.md')

const started = Date.now()
await buildProgram()
const watched = await watchMachine()
const sections = tables.flatMap(({ title, rows }) => {
  say(title)
  const chosen = rows.filter(([name]) => wanted.length === 0 || wanted.some(word => name.includes(word)))
  const cells = chosen.flatMap(([name, words]) => languages.flatMap(language => row(name, words, language)))
  return cells.length === 0 ? [] : [`**${title}**`, markdown(columns, cells, 5)]
})
const where = `${machine('npm run operators', watched)} One run each, from the start of \`warpproof formula\`, built for release, to the end of its report.`
const section = [where, ...sections].join('\n\n')
if (wanted.length === 0) {
  report.replace(section)
  say(`docs/operators.md is up to date (${seconds(started)}).`)
} else {
  console.log(`\n${section}`)
}
