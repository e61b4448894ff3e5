import { spawnSync } from 'node:child_process'
import { it } from 'vitest'

/** Debian's own, which is where its packages are. */
const PYTHON = '/usr/bin/python3'

/** Whether the parser of Prometheus' own client for Python is there. */
const hasParser: boolean = spawnSync(PYTHON, ['-c', 'import prometheus_client.parser']).status === 0

if (!hasParser)
  console.warn('SKIPPED: tests that read metrics. Install a parser: apt-get install python3-prometheus-client')

/** Tests that need it: skipped, and counted as such, where it is missing. */
export const itParses: typeof it.skip = it.skipIf(!hasParser)

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** As it was written. */
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

const PARSE = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families as families
print(json.dumps([
    dict(name=f.name, type=f.type, help=f.documentation,
         samples=[dict(name=s.name, labels=s.labels, value=s.value) for s in f.samples])
    for f in families(sys.stdin.read())]))
`

/** Reads an exposition as a Prometheus would. Throws where it cannot be read. */
export function parse(text: string): readonly Family[] {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', PARSE], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  if (status !== 0) throw new Error(`no exposition of metrics: ${stderr}`)
  // Histograms without an observation have a NaN nowhere; infinity is a bound of theirs, and JSON has none.
  return JSON.parse(stdout.replace(/\b(?:NaN|Infinity)\b/g, 'null')) as Family[]
}

/** The samples of a name, by the values of their labels in order: `svc-core pro input`. */
export function valuesOf(families: readonly Family[], name: string): Record<string, number> {
  const samples = families.flatMap(family => family.samples).filter(sample => sample.name === name)
  return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels).join(' '), value]))
}
