import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { FileText } from '../../../src/config/settings.ts'
import { send, type Told } from '../../http/calls.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'

/** Calls of an operator to a test gateway. */
export const operatorOf = (test: TestGateway) => {
  const ask = (endpoint: string, body?: unknown): Promise<Told> =>
    send({ url: test.admin }, endpoint, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      ...(body !== undefined && { body }),
    })
  const served = async () => (await ask('GET /admin/config')).body as ServedBody
  return {
    ask,
    served,
    /** Applies files against what serves; by default the main file alone, changed. */
    apply: async (files: readonly FileText[] | ((yaml: string) => string), more: object = {}) => {
      const config = await served()
      const next =
        typeof files === 'function'
          ? config.files.map(({ file, text }, at) => ({ file, text: at === 0 ? files(text) : text }))
          : files
      return ask('POST /admin/apply', { previous: config.revision, files: next, ...more })
    },
    revisions: async () => ((await ask('GET /admin/revisions')).body as { revisions: LineBody[] }).revisions,
  }
}

export type Operator = ReturnType<typeof operatorOf>

export interface ServedBody {
  readonly revision: string
  readonly number: number
  readonly since: string
  readonly by: string
  readonly how: string
  readonly main: string
  readonly files: readonly FileText[]
  readonly decisions: { readonly log: boolean; readonly directory: string }
  readonly profiles: object
}

export interface LineBody {
  readonly number: number
  readonly revision: string
  readonly at: string
  readonly by: string
  readonly how: string
  readonly files: number
  readonly serves: boolean
}

/** The texts and modes of all files below a directory, but for those of the gateway's own state. */
export function treeOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true }).map(String)
  const files = names.filter(
    name => !/^(store|store-identity\.json|revisions|decisions)(\/|$)/.test(name) && !name.endsWith('.sock'),
  )
  return Object.fromEntries(
    files
      .map(name => join(directory, name))
      .filter(path => lstatSync(path).isFile())
      .sort()
      .map(path => [relative(directory, path), readFileSync(path, 'utf8')]),
  )
}

export const main = (text: string): FileText[] => [{ file: 'config.yaml', text }]
