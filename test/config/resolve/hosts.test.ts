import { describe, expect, it } from 'vitest'
import { impliedBy, whereaboutsOf } from '../../../src/config/resolve/hosts.ts'
import { PROVIDER_NAMES } from '../../../src/policy/providers/profile.ts'
import { PROFILES } from '../../../src/policy/providers/profiles.ts'

describe('the host', () => {
  it.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://eu.api.openai.com/v1', 'openai'],
    ['https://mine.openai.azure.com/openai/v1', 'azure'],
    ['https://mine.services.ai.azure.com/anthropic/v1', 'azure'],
    ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini'],
    ['https://europe-west4-aiplatform.googleapis.com/v1/projects/p', 'vertex'],
    ['https://aiplatform.googleapis.com/v1', 'vertex'],
    ['https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1', 'bedrock'],
    ['https://bedrock-mantle.us-east-1.api.aws/v1', 'bedrock'],
    ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'dashscope'],
    ['https://api.moonshot.cn/v1', 'moonshot'],
    ['https://open.bigmodel.cn/api/paas/v4', 'zai'],
    ['https://api.x.ai/v1', 'xai'],
    ['https://spax.ai/v1', undefined],
    ['https://notopenai.com/v1', undefined],
    ['https://api.openai.com.example.com/v1', undefined],
    ['https://ec2-1-2-3-4.compute-1.amazonaws.com/v1', undefined],
    ['http://api.openai.com/v1', undefined],
    ['http://10.0.0.11:8000/v1', undefined],
  ] as const)('of %s implies %s', (replica, name) => {
    expect(impliedBy([replica])).toBe(name)
  })

  it('of each row is found', () => {
    const hosts = PROVIDER_NAMES.flatMap(name => (PROFILES[name].hosts ?? []).map(host => [name, host] as const))
    for (const [name, host] of hosts) expect(impliedBy([`https://${host.replaceAll('*', 'x')}/v1`])).toBe(name)
  })

  it('of two providers implies neither', () => {
    expect(impliedBy(['https://api.openai.com/v1', 'https://api.x.ai/v1'])).toBeUndefined()
  })
})

it.each([
  [['https://api.openai.com/v1', 'https://api.cohere.ai/v1'], 'service'],
  [['https://api.openai.com/v1', 'http://10.0.0.1/v1'], 'public'],
  [['https://llm.example.com/v1'], 'public'],
  [['https://10.0.0.1/v1', 'https://vllm.gpu.svc/v1'], 'own'],
  [['http://llm.example.com/v1'], 'own'],
] as const)('replicas at %j are at a place of the kind %s', (replicas, where) => {
  expect(whereaboutsOf(replicas)).toBe(where)
})
