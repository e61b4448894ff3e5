import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT, textOf } from './files.ts'

it('scripts/stack.js maps a position in a minified stack trace to its line of src', () => {
  const built = textOf('dist/http/console/built-console.js')
  const at = built.indexOf('function builtConsole(')
  const lines = textOf('src/http/console/built-console.ts').split('\n')
  const line = lines.findIndex(text => text.includes('function builtConsole(')) + 1

  const trace = `    at builtConsole (file:///opt/app/node_modules/svc-gateway/dist/http/console/built-console.js:1:${at + 1})\n`
  const mapped = execFileSync(process.execPath, [join(ROOT, 'scripts/stack.js')], { input: `Error: x\n${trace}` })

  expect(at).toBeGreaterThan(0)
  expect(String(mapped)).toMatch(
    new RegExp(`^Error: x\\n    at builtConsole \\(src/http/console/built-console\\.ts:${line}:\\d+\\)\\n$`),
  )
})
