import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Load, load } from '../../src/config/load.ts'
import type { Env } from '../../src/config/model/variables.ts'
import type { Problem } from '../../src/config/problem.ts'
import type { Loaded } from '../../src/config/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export type Files = Readonly<Record<string, string | Buffer>>

/** A smallest configuration that is in order. */
export const small = `version: 1
plans:
  free: { models: all, rpm: 20, tpm: 40k, monthly_usd: 1 }
models:
  small: { kind: chat, tier: guest, serve: [near], context: 32k, usd_per_1m: { input: 0.10, output: 0.40 } }
default_model: small
pools:
  near: { site: on-premises, replicas: [http://10.0.0.11:8000/v1], model: small-chat }
`

/** The small configuration with a model of every kind. */
export const kinds = small.replace(
  'default_model',
  `  vectors: { kind: embedding, tier: guest, serve: [near], context: 8k, usd_per_1m: { input: 0.02 } }
  pictures: { kind: image, tier: guest, serve: [near], usd_per_image: 0.02 }
default_model`,
)

/** A directory with files that goes when the test is over. */
export function directoryOf(files: Files): string {
  const directory = temporaryFolder('svc-config')
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  return directory
}

/** Loads `config.yaml` from a directory of its own. */
export const loadFiles = (files: Files, env: Env = {}): Load => load('config.yaml', env, directoryOf(files))

/** Loads a configuration that is in order. */
export function loadGood(config: string, env: Env = {}): Loaded {
  const result = loadFiles({ 'config.yaml': config }, env)
  if (!result.ok) throw new Error(result.problems.map(briefly).join('\n'))
  return result.loaded
}

/** `file:line:column rule` of everything that was found. */
export const found = (result: Load): readonly string[] => problemsOf(result).map(briefly)

export const problemsOf = (result: Load): readonly Problem[] => (result.ok ? result.loaded.warnings : result.problems)

const briefly = ({ file, line, column, rule }: Problem): string => `${file}:${line}:${column} ${rule}`
