import type { ComponentChildren } from 'preact'
import { day, plural, soon } from '../shared/fmt.ts'
import { inLanguage } from '../shared/language.ts'

/** What the door of customers says, in English, a part for each page. Texts of what is wrong come from the gateway. */
const en = {
  door: 'Keys, quota and models of your account.',
  titles: {
    overview: 'Overview',
    keys: 'Keys',
    requests: 'Requests',
    models: 'Models',
    try: 'Try',
    billing: 'Billing',
    errors: 'Errors',
  },
  contact: 'Ask the operator',

  lookWithKey: {
    title: 'Look with a key',
    about:
      'It shows what a key may do, a guest’s too: limits, requests, models, and a place to try them. It stays in the memory of this page. Keys are made and revoked with a sign-in.',
    key: 'Key',
    look: 'Look',
    ofKey: (key: ComponentChildren) => (
      <>You look with the key {key}. Keys are made, rotated and revoked with a sign-in.</>
    ),
    ofGuest: (key: ComponentChildren) => (
      <>
        You look with the key of a guest, {key}: what it may do is below. Guests have a plan of their own; an account of
        yours has more.
      </>
    ),
  },

  account: {
    frozen: 'Your account is frozen: nothing is served until the operator thaws it. Your keys stay.',
    planGone: (plan: ComponentChildren) => (
      <>
        Your plan {plan} is gone. Nothing is served until the operator puts the account on another one; your keys stay.
      </>
    ),
  },

  overview: {
    about: 'What your account may use, and what it has used. Days and windows are UTC.',
    limits: 'Limits',
    plan: 'Plan',
    has: (models: number, tools: number) => `${plural(models, 'model')}, ${plural(tools, 'hosted tool')}`,
    month: 'This month',
    of: (limit: string) => `of ${limit}`,
    usedOf: (used: string, limit: string) => `${used} of ${limit}`,
    held: (amount: string) => `${amount} held`,
    cap: (amount: string) => `then up to ${amount} more`,
    overage: 'then overage',
    resets: (at: string) => `resets ${soon(at)}`,
    counts: {
      user: 'each user that requests name has a count of their own',
      key: 'each key has a count of its own',
    } as Readonly<Record<string, string>>,
    underWay: (n: number) => `${n} under way`,
    bothTokens: 'prompt and completion',
  },

  limits: {
    measures: {
      requests: 'Requests',
      tokens: 'Tokens',
      input_tokens: 'Input tokens',
      output_tokens: 'Output tokens',
      images: 'Images',
      seconds: 'Seconds',
      usd: 'Spend',
      concurrent: 'Requests',
    },
    scopes: {
      key: 'each key',
      user: 'each user',
      plan: 'the whole plan',
      org: 'your organization',
      everybody: 'everybody',
    },
    atOnce: 'at once',
    windows: { second: 'this second', minute: 'last minute', day: 'today' } as Readonly<Record<string, string>>,
    lastDays: (days: string) => `last ${days} days`,
    this: (window: string) => `this ${window}`,
  },

  usage: {
    none: { month: 'Nothing used this month', days: 'Nothing used in 30 days' },
    noneYet: (link: (page: string, words: string) => ComponentChildren, hasKeys: boolean) => (
      <>
        {hasKeys && <>{link('keys', 'Create a key')} to call the API, or </>}
        {link('try', hasKeys ? 'ask a model' : 'Ask a model')}: what it used is here a moment later.
      </>
    ),
    titles: {
      spend: { month: 'Spend, this month', days: 'Spend, 30 days' },
      tokens: { month: 'Tokens, this month', days: 'Tokens, 30 days' },
      requests: { month: 'Requests, this month', days: 'Requests, 30 days' },
    },
    period: 'Which days',
    periods: [
      ['days', '30 days'],
      ['month', 'This month'],
    ] as readonly (readonly ['days' | 'month', string])[],
    unit: 'What the chart shows',
    units: [
      ['spend', 'Spend'],
      ['tokens', 'Tokens'],
      ['requests', 'Requests'],
    ] as readonly (readonly ['spend' | 'tokens' | 'requests', string])[],
    byDay: (what: string) => `${what}, by day: the table has the same figures`,
    table: 'Table',
    chart: 'Chart',
    file: (since: string, until: string) => `usage-${since}-${until}.csv`,
    ofDays: 'Usage by day and model',
    day: 'Day',
    sum: 'All',
    byModel: 'By model',
    ofModels: 'Usage by model',
    others: 'others',
    model: 'Model',
    requests: 'Requests',
    input: 'Input',
    output: 'Output',
    cost: 'Spend',
  },

  keys: {
    about:
      'A key works on every endpoint, at the plan of your account. Its limits and quota hold for all keys together: a new key resets nothing. A key may have limits of its own beside them.',
    create: 'Create key',
    existing: 'There is such a key already: rotate it for a new value.',
    revoked: 'Key revoked',
    none: 'No active key',
    noneYet: 'Create one to call the API. Its value is shown once.',
    withName: 'With a name…',
    useIt: 'Use it',
    activeKeys: 'Active keys',
    active: 'Active',
    limits: 'Limits…',
    rotate: 'Rotate…',
    revoke: 'Revoke…',
    created: (at: string) => `created ${at}`,
    plan: (plan: string) => `plan ${plan}`,
    ends: (at: string) => `ends ${at}`,
    rotatedEnds: (at: string) => `rotated, ends ${at}`,
    unused: 'not used yet',
    lastUsed: (at: string) => `last used ${at}`,
    only: (models: string) => `only ${models}`,
    from: (addresses: string) => `from ${addresses}`,
    ended: 'Ended',
    key: 'Key',
    endedBy: 'Ended by',
    createdOn: 'Created',
    endings: { rotated: 'Rotation', revoked: 'Revocation', expired: 'Its time' } as Readonly<Record<string, string>>,
  },

  freshKey: {
    title: 'Your new key',
    once: 'Shown this once. Only its hash is stored: a lost key can be rotated, not recovered.',
    what: 'Key',
    notCopied: 'You have not copied the key. Leave all the same?',
    saved: 'I have saved it',
  },

  keyForm: {
    title: 'New key',
    name: 'Name',
    names: { first: 'laptop', next: 'deployment' },
    ends: 'Ends',
    lives: [
      ['', 'never'],
      ['7d', 'in 7 days'],
      ['30d', 'in 30 days'],
      ['90d', 'in 90 days'],
      ['365d', 'in a year'],
    ] as readonly (readonly [string, string])[],
    addresses: 'Only from these addresses',
    anyAddress: '10.0.0.0/8, any where empty',
    models: 'Only these models; all of your plan where none is chosen',
    create: 'Create key',
  },

  keyLimits: {
    title: 'At most',
    fields: {
      usdPerDay: 'US dollars a day',
      usdPerMonth: 'US dollars a month',
      requestsPerMinute: 'Requests a minute',
    },
    none: 'no limit',
    beside: (limits: string) =>
      `The limits of your account hold for all its keys together beside these: ${limits}. Days and months are UTC.`,
    aMonth: (usd: string) => `${usd} a month`,
    aMinute: (requests: string) => `${requests} requests a minute`,
    ofKey: (name: string) => `Limits of ${name}`,
    action: 'Rotate and set limits',
    what: 'A key keeps its limits for as long as it lives, so other limits come with a new value. What was used counts on.',
  },

  rotate: {
    title: (name: string) => `Rotate ${name}?`,
    action: 'Rotate',
    what: 'A new value takes the place of the old one. Name, end, limits and restrictions stay.',
    grace: 'The old value stops',
    graces: [
      ['', 'at once'],
      ['1h', 'in an hour'],
      ['24h', 'in a day'],
      ['7d', 'in 7 days'],
    ] as readonly (readonly [string, string])[],
    atOnce: 'The old one is refused from the very next request, so have your deployment at hand.',
  },

  revoke: {
    title: (name: string) => `Revoke ${name}?`,
    action: 'Revoke',
    what: 'Whatever uses it is refused from the very next request. This cannot be taken back; you can create another key.',
  },

  requests: {
    about: 'What became of your newest requests. Prompts and answers are kept nowhere. Times are UTC.',
    find: 'Find a request',
    filter: 'Which requests',
    filters: [
      ['', 'All'],
      ['ok', 'Served'],
      ['refused', 'Refused'],
      ['failed', 'Failed'],
    ] as readonly (readonly [string, string])[],
    none: 'No requests yet',
    noneYet: (link: (page: string, words: string) => ComponentChildren, hasKeys: boolean) => (
      <>
        {link('try', 'Try')} a model{hasKeys && <>, or make one with a {link('keys', 'key')}</>}: it is here a moment
        later.
      </>
    ),
    noneSuch: { ok: 'None was served', refused: 'None was refused', failed: 'None failed' },
    noneSuchYet: 'As far back as this gateway knows.',
    noneFound: 'No request that is shown has that word.',
    since: (at: string) =>
      `Served requests are complete. Refused and failed ones are those of this gateway since ${at}.`,
    incomplete: 'The last 10,000 requests were looked through.',
    older: 'Older',
    time: 'Time',
    status: 'Status',
    model: 'Model',
    key: 'Key',
    signIn: 'sign-in',
    tokens: 'Tokens',
    cost: 'Cost',
    ms: 'ms',
    served: 'Served',
    brokeOff: 'broke off',
    brokeOffLong: 'The answer broke off after it had begun. What was received is charged.',
    left: 'client left',
    leftLong: 'The client left before the answer was whole. What was generated until then is charged.',
    neverRetry: 'No.',
    planTodo: 'Change the plan, the model or the tools.',
    planModels: 'Models in your plan',
    aboutError: 'About this error',
    id: 'Request id',
    took: 'Took',
    millis: (ms: string) => `${ms} ms`,
    path: 'Path',
    route: 'Route',
    pool: 'Pool',
    inOut: (input: string, output: string) => `${input} in, ${output} out`,
    estimated: '(estimated)',
    tools: 'Hosted tools',
    limit: 'Limit',
    ofLedger: 'From the ledger, which has what was served and charged.',
  },

  try: {
    about:
      'A chat with your own plan, limits and prices: what it costs is charged to your account. Nothing of it is kept, here or on the server.',
    ways: 'What to try',
    chat: 'Chat',
    images: 'Images',
    turns: 'Chat',
    hint: 'Ask something. The answer comes as it is generated.',
    answered: 'The answer is here.',
    message: 'Message',
    placeholder: 'Message',
    keys: 'Enter sends, Shift and Enter begin a new line, Esc stops an answer.',
    send: 'Send',
    stop: 'Stop',
    clear: 'Clear the chat',
    you: 'You',
    answer: 'Answer',
    thoughts: 'Thoughts',
    stopped: 'Stopped. What was generated until then is charged.',
    settings: 'Settings',
    default: 'The gateway chooses',
    notInPlan: (id: string) => `${id} (not in your plan)`,
    system: 'System prompt',
    maxTokens: 'Most tokens of an answer',
    temperature: 'Temperature',
    thinks: 'Think before the answer',
    tools: 'Hosted tools',
    route: (name: string) => `by route ${name}`,
    first: (ms: string) => `first text ${ms} ms`,
    tokens: (input: string, output: string) => `${input} in, ${output} out`,
    total: (ms: string) => `${ms} ms`,
    prompt: 'Describe the picture',
    size: 'Size',
    make: 'Make it',
    making: 'Drawing…',
  },

  snippets: {
    clients: 'Clients',
    what: 'Snippet',
    show: 'Show the key here. What you copy has it in any case.',
  },

  models: {
    find: 'Find a model',
    about: (code: ComponentChildren) => (
      <>Prices are for a million tokens. A model outside your plan is refused with {code}; retrying does not help.</>
    ),
    none: 'No model is called so.',
    model: 'Model',
    inPlan: 'In plan',
    context: 'Context',
    mostOutput: 'Most output',
    input: 'Input',
    output: 'Output',
    can: 'Can',
    copy: 'Copy',
    name: (id: string) => `Name ${id}`,
    yes: 'Yes',
    no: 'No',
    inOut: (input: string, output: string) => `${input} in, ${output} out`,
    anImage: (usd: string) => `${usd} an image`,
  },

  billing: {
    about: 'What your account may spend in this window, and what is left of it.',
    allotted: 'Allotted by the plan',
    granted: 'Granted beside it',
    used: 'Used',
    held: 'Held by requests under way',
    past: 'Past the quota',
    anew: 'Begins anew',
    anewAt: (at: string) => `${day(at)}, 00:00 UTC`,
    servedUpTo: (usd: string) => `served, up to ${usd} more`,
    served: 'served',
    refused: 'refused',
    spent: 'When it is spent',
    whatThen: {
      refused: (errors: (text: string) => ComponentChildren) => (
        <>
          Requests are refused with status 402 until the window begins anew, or until there is more quota. What that
          error says is among the {errors('errors')}.
        </>
      ),
      servedUpTo: (usd: string, errors: (text: string) => ComponentChildren) => (
        <>
          Requests are still served at the same prices, up to {usd} more. Then they are refused with status 402 until
          the window begins anew, or until there is more quota. What that error says is among the {errors('errors')}.
        </>
      ),
      served: 'Requests are still served at the same prices: your plan sets no end to what you may spend.',
    },
    byModel: (overview: (text: string) => ComponentChildren) => (
      <>What was spent by day and by model, also as a file, is in the {overview('usage of 30 days')}.</>
    ),
    more: 'Get more',
  },

  errors: {
    find: 'Find an error',
    about: 'Each error is JSON with a code. The operator finds what happened by the request id.',
    keys: (link: (text: string) => ComponentChildren) => <>No key yet? {link('Create a key')} after a sign-in.</>,
    none: 'No error says that.',
    retry: 'Retry',
    todo: 'What to do',
  },
}

export const texts = inLanguage({ en })
