import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Client, isScriptMissing } from './client.ts'

const read = (name: string): string => readFileSync(new URL(`../../../redis/${name}.lua`, import.meta.url), 'utf8')

interface Script {
  readonly text: string
  readonly sha: string
}

/** One text of several files: a script begins with the functions it uses and no others, since Redis creates them for each call. */
function script(...names: readonly string[]): Script {
  const text = ['common', ...names].map(read).join('\n')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

const scripts = {
  admit: script('standing', 'judge', 'admit'),
  extend: script('standing', 'judge', 'extend'),
  heartbeat: script('heartbeat'),
  settle: script('standing', 'totals', 'settle'),
  mint: script('audit', 'mint'),
  rotate: script('audit', 'rotate'),
  revoke: script('audit', 'revoke'),
  change: script('audit', 'change'),
  note: script('audit', 'note'),
  count: script('count'),
  waste: script('totals', 'waste'),
  allowance: script('allowance'),
}

export type ScriptName = keyof typeof scripts

/** The answer of a script: the outcome, and texts that belong to it. */
export type Reply = readonly [string, ...string[]]

/** Runs a script by its hash, or by its text where the server does not know it (yet, or after a restart). */
export async function runScript(
  client: Client,
  name: ScriptName,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<Reply> {
  const { sha, text } = scripts[name]
  const call = { keys: [...keys], arguments: values.map(String) }
  try {
    return (await client.evalSha(sha, call)) as unknown as Reply
  } catch (error) {
    if (!isScriptMissing(error)) throw error
    return (await client.eval(text, call)) as unknown as Reply
  }
}
