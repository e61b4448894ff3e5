// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of YAML.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderGithub, renderJson, renderText } from '../../src/config/format/problem-text.ts'
import { load } from '../../src/config/load.ts'
import { times } from '../support/times.ts'
import { directoryOf, problemsOf } from './files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const policies = ['embeddings', 'images', 'models', 'plans', 'pools', 'tools'].map(name => `policies/${name}.yaml`)
const whole = ['config.example.yaml', ...policies]
  .map(file => readFileSync(`${root}/${file}`, 'utf8'))
  .join('')
  .replace(/^include:.*$/m, '')
  .split('\n')

const piece = fc.oneof(
  fc.constantFrom(
    ...'{}[]&*!|>%@`"\'#:-?,\t \n',
    '${',
    '${A:-',
    '<<: ',
    '*a',
    '&a ',
    '!!set ',
    '---',
    '- ',
    '0',
    'null',
    '__proto__: ',
  ),
  fc.string({ maxLength: 4 }),
)
const edit = fc.record({
  line: fc.nat({ max: whole.length - 1 }),
  column: fc.nat({ max: 40 }),
  cut: fc.nat({ max: 10 }),
  piece,
  how: fc.constantFrom('delete', 'double', 'garble', 'indent'),
})

test('no edit of the example makes load throw, and every problem lies in the file', () => {
  const directory = directoryOf({})
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), edits => {
      const lines = [...whole]
      for (const { line, column, cut, piece, how } of edits) {
        const text = lines[line] ?? ''
        if (how === 'delete') lines[line] = ''
        else if (how === 'double') lines[line] = `${text}\n${text}`
        else if (how === 'indent') lines[line] = ` ${text}`
        else lines[line] = text.slice(0, column) + piece + text.slice(column + cut)
      }
      writeFileSync(`${directory}/config.yaml`, lines.join('\n'))

      const result = load('config.yaml', { CLOUD_KEY: 'k', A: '[' }, directory)

      const problems = problemsOf(result)
      const count = lines.join('\n').split('\n').length
      expect(result.ok || problems.some(({ severity }) => severity === 'error')).toBe(true)
      expect(
        problems.filter(({ line, column, file }) => line < 1 || line > count || column < 1 || file !== 'config.yaml'),
      ).toEqual([])
      expect(renderText(problems, result.sources) + renderJson(problems) + renderGithub(problems)).not.toContain(
        'undefined',
      )
    }),
    { numRuns: times(500) },
  )
})
