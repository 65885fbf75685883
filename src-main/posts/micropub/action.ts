import { createFromForm, groupFields } from './create-form.ts';
import { createFromJson } from './create-json.ts';
import type { Pairs } from './form-pairs.ts';
import { isCommand, type Bag } from '../post-content.ts';
import type { MicropubBody } from './request-body.ts';
import { invalid, type JsonObject } from './safe-json.ts';
import { readUpdate, type Update } from './update.ts';

/** The action that a client requests from the Micropub endpoint. */
export type Action =
  | { readonly kind: 'create'; readonly type: string[]; readonly bag: Bag }
  | { readonly kind: 'update'; readonly url: string; readonly update: Update }
  | { readonly kind: 'delete' | 'undelete'; readonly url: string };

/**
 * Returns the action that a request body describes.
 * @throws invalid_request
 */
export function actionOf(body: MicropubBody): Action {
  return body.kind === 'json' ? fromJson(body.object) : fromForm(body.pairs);
}

function fromJson(body: JsonObject): Action {
  const { action = 'create' } = body;
  if (action === 'create') return creating(createFromJson(body));
  const url = urlIn([body['url']]);
  if (action === 'update') return { kind: 'update', url, update: readUpdate(body) };
  return endingOf(action, url);
}

function fromForm(pairs: Pairs): Action {
  const fields = groupFields(pairs);
  const [action = 'create', ...more] = fields.get('action') ?? [];
  if (more.length > 0) throw invalid('The parameter action appears more than once.');
  if (action === 'create') return creating(createFromForm(fields));
  if (action === 'update') throw invalid('Send updates as JSON.'); // required by Micropub 3.4
  return endingOf(action, urlIn(fields.get('url') ?? []));
}

function endingOf(action: unknown, url: string): Action {
  if (action === 'delete' || action === 'undelete') return { kind: action, url };
  throw invalid('The action must be one of: create, update, delete, undelete.');
}

function urlIn(values: readonly unknown[]): string {
  const [url, ...more] = values;
  if (typeof url !== 'string' || url === '' || more.length > 0)
    throw invalid('The parameter url is missing.');
  return url;
}

function creating({ type, bag }: { type: string[]; bag: Bag }): Action {
  const said = [...bag].some(
    ([name, values]) => values.length > 0 && name !== 'access_token' && !isCommand(name),
  );
  if (!said) throw invalid('The post has no properties.'); // a post needs more than commands and a token
  return { kind: 'create', type, bag };
}
