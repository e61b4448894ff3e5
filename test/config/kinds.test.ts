import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { without } from '../../src/cli/serve/demo.ts'
import { load } from '../../src/config/load.ts'
import { found, kinds, loadFiles, loadGood } from './files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sizesOf = (config: string) => {
  const model = loadGood(config).config.models.get('pictures')
  return model?.kind === 'image' ? [...model.sizes] : undefined
}

test('an embedding model has 768 dimensions, and only its input is paid', () => {
  const { fields, at, serve, ...model } = loadGood(kinds).config.models.get('vectors') ?? {}

  expect(model).toEqual({
    name: 'vectors',
    kind: 'embedding',
    tier: 'guest',
    context: 8000,
    dimensions: 768,
    anyDimensions: false,
    tokenIds: false,
    price: { input: 20_000, output: 0 },
  })
})

test('one price of an image holds for every size that may be asked for', () => {
  expect(sizesOf(kinds)).toEqual([
    ['512x512', 20_000_000],
    ['1024x1024', 20_000_000],
  ])
  expect(sizesOf(`limits: { image_sizes: [64x4096] }\n${kinds}`)).toEqual([['64x4096', 20_000_000]])
})

test('prices by size leave out what is not made, in the order of the limits', () => {
  const limits = 'limits: { image_sizes: [1024x1024, 256x256, 512x512] }\n'
  const prices = 'usd_per_image: { 512x512: 0, 1024x1024: "0.000000001" }'

  expect(sizesOf(limits + kinds.replace('usd_per_image: 0.02', prices))).toEqual([
    ['1024x1024', 1],
    ['512x512', 0],
  ])
})

test('an alias may stand for a model of any kind', () => {
  const { aliases, models } = loadGood(`aliases: { draw: pictures, embed: vectors }\n${kinds}`).config

  expect(aliases.get('draw')?.model).toBe(models.get('pictures'))
  expect(aliases.get('embed')?.model).toBe(models.get('vectors'))
})

test('the inputs of one embeddings request are limited', () => {
  expect(loadGood(`limits: { embedding_batch: 2k }\n${kinds}`).settings.limits).toEqual({
    bodyBytes: 32_000_000,
    embeddingBatch: 2000,
    keysPerAccount: 50,
    toolRounds: 8,
    toolTime: 120_000,
  })
})

test('while the list of sizes is in doubt, no size is called unknown', () => {
  const sized = kinds.replace('usd_per_image: 0.02', 'usd_per_image: { 64x64: 1 }')

  expect(found(loadFiles({ 'config.yaml': sized }))).toEqual(['config.yaml:7:73 unknown-size'])
  for (const limits of ['limit: { image_sizes: [64x64] }', 'limits: { image_size: [64x64] }', 'limits: 1']) {
    expect(found(loadFiles({ 'config.yaml': `${limits}\n${sized}` }))).toHaveLength(1)
  }
})

test('a plan of embedding models alone may have a smaller minute than a chat needs', () => {
  const plan = '  tiny: { models: [vectors], rpm: 1, tpm: 10, monthly_usd: 1 }\n  free:'

  expect(found(loadFiles({ 'config.yaml': kinds.replace('  free:', plan) }))).toEqual([])
  expect(found(loadFiles({ 'config.yaml': kinds.replace('  free:', plan.replace('vectors', 'tier:guest')) }))).toEqual([
    'config.yaml:3:46 tpm-too-small',
  ])
})

test('the example without its embedding models is what the example would be without their file', () => {
  const loaded = load('config.example.yaml', { CLOUD_KEY: 'k' }, root)
  if (!loaded.ok) throw new Error('the example does not load')
  const files = Object.fromEntries(
    ['images', 'models', 'plans', 'pools', 'tools'].map(name => {
      const text = readFileSync(`${root}/policies/${name}.yaml`, 'utf8').replace(', svc-embed]', ']')
      return [`policies/${name}.yaml`, text]
    }),
  )
  const example = readFileSync(`${root}/config.example.yaml`, 'utf8')
  const written = loadFiles({ ...files, 'config.yaml': example }, { CLOUD_KEY: 'k' })
  if (!written.ok) throw new Error('the example does not load without its embedding models')

  const { config, settings } = without('embedding', loaded.loaded)

  const names = ({ config, settings }: typeof loaded.loaded) => ({
    models: [...config.models.keys()],
    pools: [...config.pools.keys()],
    backends: [...settings.backends.keys()],
    plans: [...config.plans].map(([slug, { models }]) => [slug, [...models.keys()]]),
    aliases: [...config.aliases.keys()],
  })
  expect(names({ ...loaded.loaded, config, settings })).toEqual(names(written.loaded))
  expect(config.defaultModel).toBe(loaded.loaded.config.defaultModel)
  expect(config.models.get('svc-core')).toBe(loaded.loaded.config.models.get('svc-core'))
})
