import { useState } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useUnfinished } from '../../ui/unfinished.ts';

export type Connected = Result<'cloudflare.connect'>;

/** What the owner has chosen for a setup that hasn't started. */
export interface SetupDraft {
  /** What the token can be used for; null until a token was checked. */
  readonly connected: Connected | null;
  readonly zoneId: string;
  readonly name: string;
  readonly mailbox: boolean;
  readonly keepToken: boolean;
}

export interface SetupDraftState {
  readonly draft: SetupDraft;
  readonly change: (changes: Partial<SetupDraft>) => void;
}

const empty: SetupDraft = { connected: null, zoneId: '', name: 'porch', mailbox: true, keepToken: false };

/** Keeps the choices for a setup, also while it runs: if it fails, the owner corrects them. */
export function useSetupDraft(): SetupDraftState {
  const [draft, setDraft] = useState(empty);
  useUnfinished(draft !== empty);
  return { draft, change: (changes) => setDraft((before) => ({ ...before, ...changes })) };
}
