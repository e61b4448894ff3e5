import { expect, test } from 'vitest'
import { renderGithub, renderJson, renderText } from '../../../src/config/format/problem-text.ts'
import type { Problem } from '../../../src/config/problem.ts'
import { loadFiles, problemsOf, small } from '../files.ts'

const problem: Problem = {
  file: 'policies/plans.yaml',
  line: 2,
  column: 5,
  length: 12,
  rule: 'unknown-field',
  severity: 'error',
  message: 'unknown field `monthly_used`',
  hint: 'did you mean `monthly_usd`?',
}
const sources = new Map([['policies/plans.yaml', 'pro:\n    monthly_used: 1\n']])

test('a frame shows the line, a caret and what to do', () => {
  const { hint, ...mild } = { ...problem, severity: 'warning', column: 19, length: 99 } as const

  expect(renderText([problem, mild], sources)).toBe(`\
✗ policies/plans.yaml:2:5  unknown field \`monthly_used\`                       unknown-field
   2 │     monthly_used: 1
     │     ^^^^^^^^^^^^ did you mean \`monthly_usd\`?

▲ policies/plans.yaml:2:19  unknown field \`monthly_used\`                      unknown-field
   2 │     monthly_used: 1
     │                   ^

1 error, 1 warning in 1 file
`)
})

test('the plan of the manual is explained as the manual says', () => {
  const plan = '  pro:\n    models: [tier:guest, smll]\n    rpm: 20\n    tpm: 40_000\n    monthly_used: 1\n  free:'
  const result = loadFiles({ 'config.yaml': small.replace('  free:', plan) })

  expect(renderText(problemsOf(result), result.sources)).toBe(`\
✗ config.yaml:4:26  plan \`pro\` includes \`smll\`, no such model                 unknown-model
   4 │     models: [tier:guest, smll]
     │                          ^^^^ did you mean \`small\`?

✗ config.yaml:6:10  \`40_000\` is not a number                                  not-a-number
   6 │     tpm: 40_000
     │          ^^^^^^ write 40000 or 40k; YAML 1.2 has no digit separators

✗ config.yaml:7:5  unknown field \`monthly_used\`                               unknown-field
   7 │     monthly_used: 1
     │     ^^^^^^^^^^^^ did you mean \`monthly_usd\`?

3 errors in 1 file
`)
})

test('colour is there only when asked for', () => {
  expect(renderText([problem], sources)).not.toContain('\u001b')
  expect(renderText([problem], sources, { colour: true, width: 200 })).toContain(
    '\u001b[31m^^^^^^^^^^^^\u001b[0m did you mean',
  )
})

test('control characters of a file do not reach the terminal', () => {
  const text = renderText([{ ...problem, message: '\u001b[2J' }], new Map([[problem.file, '\n\t\u001b[2Jx: 1\n']]))

  expect(text).not.toMatch(/[^\P{Cc}\n]/u)
})

test('a long line is shown around its caret', () => {
  const [, line = '', caret = ''] = renderText(
    [{ ...problem, column: 901 }],
    new Map([[problem.file, `\n${'x'.repeat(900)}${'y'.repeat(900)}`]]),
  ).split('\n')

  expect(line.length).toBeLessThan(140)
  expect(line[caret.indexOf('^')]).toBe('y')
  expect(line[caret.indexOf('^') - 1]).toBe('x')
})

test('JSON has the same fields for every problem', () => {
  const { hint, ...without } = problem

  expect(JSON.parse(renderJson([without]))).toEqual({
    problems: [
      {
        file: 'policies/plans.yaml',
        line: 2,
        column: 5,
        rule: 'unknown-field',
        severity: 'error',
        message: 'unknown field `monthly_used`',
        hint: null,
      },
    ],
  })
})

test('nothing in a GitHub annotation can end it or begin another', () => {
  const odd = { ...problem, file: 'a,b:c%.yaml', message: '100%\r\n::error::x', hint: 'a, b: c' }

  expect(renderGithub([odd, { ...problem, severity: 'warning' }])).toBe(
    '::error file=a%2Cb%3Ac%25.yaml,line=2,col=5,title=unknown-field::100%25%0D%0A::error::x (a, b: c)\n' +
      '::warning file=policies/plans.yaml,line=2,col=5,title=unknown-field::unknown field `monthly_used` (did you mean `monthly_usd`?)\n',
  )
})
