import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { useAudioRig } from './audio-rig.ts'
import { type Rig, useKeepingRig, useRig } from './rig.ts'
import { type ToolRig, useToolRig } from './tool-rig.ts'

const folder = new URL('..', import.meta.url)
const pins: Readonly<Record<string, string>> = readJson('package.json').dependencies

/** A suite against real SDKs, named by their versions, on a rig of its own. */
export function sdkSuite(packages: readonly string[], scenarios: (rig: Rig) => Promise<void>): void {
  suite(packages, '', () => scenarios(useRig()))
}

/** A suite on a gateway with hosted tools. */
export function toolSuite(packages: readonly string[], scenarios: (rig: ToolRig) => Promise<void>): void {
  suite(packages, ' with hosted tools', () => scenarios(useToolRig()))
}

/** A suite on a gateway that passes audio through. */
export function audioSuite(packages: readonly string[], scenarios: (rig: Rig) => Promise<void>): void {
  suite(packages, ' with audio', () => scenarios(useAudioRig()))
}

/** A suite on a gateway that keeps responses. */
export function keepingSuite(packages: readonly string[], scenarios: (rig: Rig) => Promise<void>): void {
  suite(packages, ' with kept responses', () => scenarios(useKeepingRig()))
}

/** A suite over WebSocket, on a gateway that the scenarios start themselves. */
export function realtimeSuite(packages: readonly string[], scenarios: () => Promise<void>): void {
  suite(packages, ' over WebSocket', scenarios)
}

/** A suite without a gateway: the SDK reads the written answer itself. */
export function writtenSuite(packages: readonly string[], scenarios: () => Promise<void>): void {
  suite(packages, ' with what is written for it', scenarios)
}

function suite(packages: readonly string[], topic: string, scenarios: () => Promise<void>): void {
  const title = packages.map(name => `${name} ${pins[name]?.replace(/^npm:.*@/, '')}`).join(' and ') + topic
  describe(title, async () => {
    if (packages.every(installed)) return scenarios()
    // Counted, so that nobody takes the silence for success.
    console.warn(`SKIPPED: ${title} is not installed; run \`npm ci --prefix test/sdk\``)
    it.skip('needs `npm ci --prefix test/sdk`')
  })
}

/** In the pinned version: another one would be tested under the wrong name. */
function installed(name: string): boolean {
  try {
    return pins[name]?.replace(/^npm:.*@/, '') === readJson(`node_modules/${name}/package.json`).version
  } catch {
    // No such file: not installed.
    return false
  }
}

function readJson(path: string) {
  return JSON.parse(readFileSync(new URL(path, folder), 'utf8'))
}
