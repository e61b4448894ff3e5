import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Client, isScriptMissing } from './client.ts'

const read = (name: string): string => readFileSync(new URL(`../../../redis/${name}.lua`, import.meta.url), 'utf8')

interface Script {
  readonly text: string
  readonly sha: string
}

const script = (name: string): Script => {
  const text = `${read('standing')}\n${read(name)}`
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

const scripts = {
  admit: script('admit'),
  extend: script('extend'),
  beat: script('beat'),
  settle: script('settle'),
  mint: script('mint'),
  rotate: script('rotate'),
  revoke: script('revoke'),
  change: script('change'),
  count: script('count'),
  waste: script('waste'),
  allowance: script('allowance'),
}

export type ScriptName = keyof typeof scripts

/** What a script answers: a word, and texts that go with it. */
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
