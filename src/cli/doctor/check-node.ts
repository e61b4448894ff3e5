import { readFileSync } from 'node:fs'
import type { Finding } from '../../gateway/doctor/finding.ts'

const { engines } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

/** Whether this package runs on a version of Node. */
export function checkNode(version: string, range = String(engines.node)): Finding {
  const isFit = isAtLeast(version, range.replace(/^>=\s*/, ''))
  const common = { check: 'node', subject: process.execPath }
  if (isFit) return { ...common, state: 'ok', text: version }
  const hint = `Install a newer one, and start it with that: ${process.execPath} is of this version`
  return { ...common, state: 'problem', text: `${version} is not ${range}`, hint }
}

/** `20.19` is at least `20.9`. */
function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version, least].map(text => text.split('.').map(part => Number.parseInt(part, 10)))
  for (const [at, wanted] of (want ?? []).entries()) {
    const number = have?.[at] ?? 0
    if (number !== wanted) return number > wanted
  }
  return true
}
