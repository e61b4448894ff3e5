import type { CapField } from '../../src/policy/config.ts'
import type { Decision } from '../../src/policy/decision.ts'
import type { Facts } from '../../src/policy/facts.ts'
import { config, embedding, explicitDefault, facts, NOON, picture } from './fixture.ts'

/** Name of the guarantee, facts, and the decision in one line. */
export type Row = readonly [name: string, facts: Facts, expected: string]

const cap = (tokens: number, field: CapField = 'max_tokens') => ({ cap: { field, tokens } })
const ask = (model: string, plan: string, rest: object = {}) => facts({ model, ...rest }, plan)

export const rows: readonly Row[] = [
  // Which model.
  [
    'no model named is the default alias',
    facts(),
    'svc-core by svc-auto | onprem-core, cloud-core | input 36, output 16..4000 ×1',
  ],
  [
    'an alias stands for its model',
    ask('svc-auto', 'free'),
    'svc-core by svc-auto | onprem-core, cloud-core | input 36, output 16..4000 ×1',
  ],
  [
    'a model by name is an explicit choice',
    ask('svc-core', 'free'),
    'svc-core | onprem-core, cloud-core | input 36, output 16..4000 ×1',
  ],
  ['an unknown model is a 400 that names it', ask('svc-nope', 'free'), 'VALIDATION_ERROR model'],
  ['an empty name is no model', ask('', 'free'), 'VALIDATION_ERROR model'],
  ['names are case-sensitive', ask('SVC-CORE', 'free'), 'VALIDATION_ERROR model'],
  ['a plan is no model', ask('free', 'free'), 'VALIDATION_ERROR model'],
  ['a pool is no model', ask('onprem-core', 'free'), 'VALIDATION_ERROR model'],
  ['a backend name is no model', ask('backend/onprem-core', 'team'), 'VALIDATION_ERROR model'],
  ['a property of every object is no model', ask('__proto__', 'team'), 'VALIDATION_ERROR model'],
  ['an unknown model is told before the plan', ask('svc-nope', 'guest-device'), 'VALIDATION_ERROR model'],

  // Gating: every plan and every model.
  ...gates('svc-core', ['guest-device', 'free', 'pro', 'team', 'small'], []),
  ...gates('svc-auto', ['guest-device', 'free', 'pro', 'team', 'small'], []),
  ...gates('svc-pro', ['pro', 'team'], ['guest-device', 'free', 'small']),
  ...gates('svc-ultra-pro', ['team'], ['guest-device', 'free', 'pro']),
  ...gates('svc-calm', ['pro', 'team'], ['guest-device', 'free', 'small']),
  ...gates('svc-tiny', ['pro', 'team'], ['guest-device', 'free', 'small']),
  [
    'the plan is told before a cap that is too small',
    ask('svc-ultra-pro', 'free', cap(5)),
    'rate_limit_exceeded plan_limit svc-ultra-pro free',
  ],

  // Output cap.
  [
    'an explicit cap is neither lowered nor raised',
    facts(cap(100)),
    'svc-core by svc-auto | onprem-core, cloud-core | input 36, output 100..100 ×1',
  ],
  [
    "a cap above max_output is the client's right",
    facts(cap(20_000)),
    'svc-core by svc-auto | onprem-core, cloud-core | input 36, output 20000..20000 ×1',
  ],
  [
    'a cap of one token is served',
    facts(cap(1)),
    'svc-core by svc-auto | onprem-core, cloud-core | input 36, output 1..1 ×1',
  ],
  [
    'the newer field caps as well',
    facts(cap(100, 'max_completion_tokens')),
    'svc-core by svc-auto | onprem-core, cloud-core | input 36, output 100..100 ×1',
  ],
  ['a cap that fills the context is a 400', ask('svc-core', 'team', cap(32_000)), 'VALIDATION_ERROR max_tokens'],
  [
    'a cap that fills the context names the field that was used',
    ask('svc-core', 'team', cap(32_000, 'max_completion_tokens')),
    'VALIDATION_ERROR max_completion_tokens',
  ],
  [
    'a cap one below the context leaves one token of prompt',
    ask('svc-core', 'team', cap(31_999)),
    'svc-core | onprem-core, cloud-core | input 1, output 31999..31999 ×1',
  ],
  [
    'a model that says little is asked for little',
    ask('svc-tiny', 'pro'),
    'svc-tiny | onprem-core, cloud-core | input 36, output 8..8 ×1',
  ],
  [
    'every choice has the cap',
    facts({ choices: 4, ...cap(100) }),
    'svc-core by svc-auto | onprem-core, cloud-core | input 36, output 100..100 ×4',
  ],
  [
    'a long prompt wants no more than the context leaves',
    ask('svc-core', 'team', { textBytes: 120_000 }),
    'svc-core | onprem-core, cloud-core | input 31984, output 16..1984 ×1',
  ],
  [
    'a prompt as long as the context still asks for the least',
    ask('svc-core', 'team', { textBytes: 900_000 }),
    'svc-core | onprem-core, cloud-core | input 31984, output 16..16 ×1',
  ],

  // Thinking.
  ['thinking by default needs 2000', ask('svc-ultra-pro', 'team', cap(1999)), 'VALIDATION_ERROR max_tokens'],
  [
    'thinking with 2000 is enough',
    ask('svc-ultra-pro', 'team', cap(2000)),
    'svc-ultra-pro | onprem-ultra, cloud-core | input 36, output 2000..2000 ×1',
  ],
  [
    'thinking names the newer field when that was used',
    ask('svc-ultra-pro', 'team', cap(1999, 'max_completion_tokens')),
    'VALIDATION_ERROR max_completion_tokens',
  ],
  [
    'thinking switched off takes any cap',
    ask('svc-ultra-pro', 'team', { thinking: false, ...cap(5) }),
    'svc-ultra-pro | onprem-ultra, cloud-core | input 36, output 5..5 ×1',
  ],
  [
    'thinking switched on needs 2000',
    ask('svc-ultra-pro', 'team', { thinking: true, ...cap(5) }),
    'VALIDATION_ERROR max_tokens',
  ],
  [
    'thinking without a cap never shrinks below 2000',
    ask('svc-ultra-pro', 'team'),
    'svc-ultra-pro | onprem-ultra, cloud-core | input 36, output 2000..16000 ×1',
  ],
  [
    'no thinking, no cap: shrinks to 16',
    ask('svc-ultra-pro', 'team', { thinking: false }),
    'svc-ultra-pro | onprem-ultra, cloud-core | input 36, output 16..16000 ×1',
  ],
  [
    'a model that thinks on request takes any cap',
    ask('svc-calm', 'pro', cap(5)),
    'svc-calm | onprem-core, cloud-core | input 36, output 5..5 ×1',
  ],
  [
    'a model that thinks on request needs 2000 once asked',
    ask('svc-calm', 'pro', { thinking: true, ...cap(5) }),
    'VALIDATION_ERROR max_tokens',
  ],
  [
    'a model that cannot think ignores the switch',
    ask('svc-core', 'pro', { thinking: true, ...cap(5) }),
    'svc-core | onprem-core, cloud-core | input 36, output 5..5 ×1',
  ],

  // Images.
  ['an image on a model without vision is a 400', ask('svc-core', 'pro', { images: 1 }), 'VALIDATION_ERROR messages'],
  [
    'an image is held at what the model declares',
    ask('svc-pro', 'pro', { images: 2 }),
    'svc-pro | onprem-core, cloud-core | input 4036, output 16..4000 ×1',
  ],

  // Input and the minute.
  [
    'a message costs sixteen tokens of template',
    facts({ messages: 10, textBytes: 0 }),
    'svc-core by svc-auto | onprem-core, cloud-core | input 160, output 16..4000 ×1',
  ],
  [
    'a cap beyond the whole minute is a 400, not a 429 for ever',
    ask('svc-core', 'guest-device', cap(9965)),
    'VALIDATION_ERROR max_tokens',
  ],
  [
    'a cap that just fits the minute is served',
    ask('svc-core', 'guest-device', cap(9964)),
    'svc-core | onprem-core, cloud-core | input 36, output 9964..9964 ×1',
  ],
  [
    'an input beyond the whole minute names the messages',
    ask('svc-core', 'guest-device', { textBytes: 9969 }),
    'VALIDATION_ERROR messages',
  ],
  [
    'an input that just fits is served',
    ask('svc-core', 'guest-device', { textBytes: 9968 }),
    'svc-core | onprem-core, cloud-core | input 9984, output 16..4000 ×1',
  ],
  [
    'choices multiply what the minute must hold',
    ask('svc-core', 'guest-device', { choices: 4, ...cap(2492) }),
    'VALIDATION_ERROR max_tokens',
  ],
  [
    'a plan too small for thinking says so',
    ask('svc-ultra-pro', 'small', { textBytes: 990 }),
    'VALIDATION_ERROR max_tokens',
  ],

  // Embeddings.
  [
    'an embedding holds its bytes and what each input adds',
    embedding(),
    'svc-embed | onprem-core | input 28, output 0..0 ×1',
  ],
  [
    'an embedding never holds more than the context of its inputs',
    embedding({ textBytes: 99_999 }),
    'svc-embed | onprem-core | input 1024, output 0..0 ×1',
  ],
  ['an embedding has no default model', embedding({ model: undefined as never }), 'VALIDATION_ERROR model'],
  ['a chat model embeds nothing', embedding({ model: 'svc-core' }), 'VALIDATION_ERROR model'],
  ['an alias of a chat model embeds nothing', embedding({ model: 'svc-auto' }), 'VALIDATION_ERROR model'],
  ['an embedding model does not chat', ask('svc-embed', 'pro'), 'VALIDATION_ERROR model'],
  [
    '768 dimensions may be asked for',
    embedding({ dimensions: 768 }),
    'svc-embed | onprem-core | input 28, output 0..0 ×1',
  ],
  ['any other number of dimensions is a 400', embedding({ dimensions: 512 }), 'VALIDATION_ERROR dimensions'],
  [
    'an embedding outside the plan is a plan limit',
    embedding({}, 'free'),
    'rate_limit_exceeded plan_limit svc-embed free',
  ],
  [
    'a batch beyond the whole minute names the input',
    embedding({ inputs: 2000, textBytes: 900_000 }),
    'VALIDATION_ERROR input',
  ],

  // Images.
  [
    'an image holds its prompt and its price',
    picture(),
    'svc-image | cloud-core | input 20, output 0..0 ×1 | 1 × 10000000 of 512x512',
  ],
  [
    'an image is priced by its size',
    picture({ size: '1024x1024', images: 3 }),
    'svc-image | cloud-core | input 20, output 0..0 ×1 | 3 × 20000000 of 1024x1024',
  ],
  ['a size without a price is a 400', picture({ size: '64x64' }), 'VALIDATION_ERROR size'],
  ['a chat model draws nothing', picture({ model: 'svc-core' }), 'VALIDATION_ERROR model'],
  [
    'an image without a model is of the one for images',
    picture({ model: undefined as never }),
    'svc-image | cloud-core | input 20, output 0..0 ×1 | 1 × 10000000 of 512x512',
  ],
  ['an image outside the plan is a plan limit', picture({}, 'free'), 'rate_limit_exceeded plan_limit svc-image free'],
  ['a prompt beyond the whole minute names the prompt', picture({ textBytes: 400_001 }), 'VALIDATION_ERROR prompt'],

  // Failover order.
  [
    'pools are tried as declared',
    ask('svc-ultra-pro', 'team', cap(2000)),
    'svc-ultra-pro | onprem-ultra, cloud-core | input 36, output 2000..2000 ×1',
  ],
  [
    'a pool that is down comes last',
    facts(cap(9), 'free', ['onprem-core']),
    'svc-core by svc-auto | cloud-core, onprem-core | input 36, output 9..9 ×1',
  ],
  [
    'a last pool that is down stays last',
    facts(cap(9), 'free', ['cloud-core']),
    'svc-core by svc-auto | onprem-core, cloud-core | input 36, output 9..9 ×1',
  ],
  [
    'with every pool down they are tried all the same',
    facts(cap(9), 'free', ['cloud-core', 'onprem-core']),
    'svc-core by svc-auto | onprem-core, cloud-core | input 36, output 9..9 ×1',
  ],
  [
    "another model's pool does not matter",
    facts(cap(9), 'free', ['onprem-ultra']),
    'svc-core by svc-auto | onprem-core, cloud-core | input 36, output 9..9 ×1',
  ],
]

function gates(model: string, included: readonly string[], excluded: readonly string[]): Row[] {
  const name = model === 'svc-auto' ? 'svc-core by svc-auto' : model
  const pools = model === 'svc-ultra-pro' ? 'onprem-ultra, cloud-core' : 'onprem-core, cloud-core'
  const request = { thinking: false, ...cap(50) }
  return [
    ...included.map(
      (plan): Row => [
        `${plan} includes ${model}`,
        ask(model, plan, request),
        `${name} | ${pools} | input 36, output 50..50 ×1`,
      ],
    ),
    ...excluded.map(
      (plan): Row => [
        `${plan} does not include ${model}`,
        ask(model, plan, request),
        `rate_limit_exceeded plan_limit ${model} ${plan}`,
      ],
    ),
  ]
}

/** A decision in one line. */
export function told(decision: Decision): string {
  if (!('denial' in decision)) {
    const { model, alias, pools, claims } = decision
    const { want, min, choices } = claims.output
    const name = alias ? `${model.name} by ${alias.name}` : model.name
    const told = `${name} | ${pools.map(pool => pool.name).join(', ')} | input ${claims.input}, output ${min}..${want} ×${choices}`
    const { items, price } = claims.spend
    return decision.imageSize ? `${told} | ${items} × ${price.item} of ${decision.imageSize}` : told
  }
  const { denial } = decision
  if (denial.code === 'VALIDATION_ERROR') return `${denial.code} ${denial.field}`
  if (denial.code === 'rate_limit_exceeded' && denial.type === 'plan_limit') {
    return `${denial.code} ${denial.type} ${denial.model} ${denial.plan}`
  }
  return denial.code
}

export { config, explicitDefault, facts, NOON }
