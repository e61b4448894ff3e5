import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Words that are a token each. Others are unknown to the model, and a token too. */
export const WORDS: readonly string[] = Array.from({ length: 1000 }, (_, at) => `w${String(at).padStart(3, '0')}`)

const SPECIAL = ['<end>', '<pad>', '<unk>', '<system>', '<user>', '<assistant>'] as const
const CONTEXT = 16_384

/** Writes the shape and the tokenizer of a llama; vLLM makes up its weights with `--load-format dummy`. */
export function writeTinyVllmModel(directory: string): void {
  mkdirSync(directory, { recursive: true })
  const write = (name: string, content: object) => writeFileSync(join(directory, name), JSON.stringify(content))
  write('config.json', {
    ...{ architectures: ['LlamaForCausalLM'], model_type: 'llama', dtype: 'float32', hidden_act: 'silu' },
    ...{ hidden_size: 128, intermediate_size: 256, num_hidden_layers: 2, num_attention_heads: 4, head_dim: 32 },
    ...{ num_key_value_heads: 2, rms_norm_eps: 1e-6, rope_theta: 10_000, tie_word_embeddings: false },
    ...{ max_position_embeddings: CONTEXT, vocab_size: SPECIAL.length + WORDS.length },
    ...{ bos_token_id: null, eos_token_id: 0, pad_token_id: 1 },
  })
  write('tokenizer.json', {
    ...{ version: '1.0', truncation: null, padding: null, normalizer: null, post_processor: null, decoder: null },
    added_tokens: SPECIAL.map((content, id) => ({
      ...{ id, content, special: true },
      ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
    })),
    pre_tokenizer: { type: 'WhitespaceSplit' },
    model: {
      type: 'WordLevel',
      unk_token: '<unk>',
      vocab: Object.fromEntries([...SPECIAL, ...WORDS].map((word, id) => [word, id])),
    },
  })
  write('tokenizer_config.json', {
    ...{ tokenizer_class: 'PreTrainedTokenizerFast', model_max_length: CONTEXT },
    ...{ eos_token: '<end>', pad_token: '<pad>', unk_token: '<unk>' },
    chat_template: '{% for m in messages %}<{{ m.role }}> {{ m.content }} {% endfor %}<assistant>',
  })
}
