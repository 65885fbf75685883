import { useState } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { useAction } from '../../client/queries.ts';

type Part = 'profile' | 'signIn' | 'micropub' | 'webmention' | 'desktop' | 'site' | 'siteFolder';

/** A form for one part of the settings. Changes stay a draft until the owner saves them. */
export interface SettingsForm<P extends Part> {
  /** The saved values, with the draft over them. */
  readonly shown: Settings[P];
  readonly draft: Partial<Settings[P]>;
  /** Rises when the draft is saved or discarded. Inputs with a state of their own take it as their key. */
  readonly round: number;
  readonly change: (changes: Partial<Settings[P]>) => void;
  /** Saves the draft, or a cleaned-up form of it. `onSaved`: called when the settings are saved. */
  readonly submit: (patch?: Partial<Settings[P]>, onSaved?: () => void) => void;
  /** Returns to the saved values. */
  readonly discard: () => void;
  readonly save: { readonly isPending: boolean; readonly isSuccess: boolean; readonly error: Error | null };
  readonly clearError: () => void;
}

/** Holds the draft for one part of the settings. `saved`: its saved values. */
export function useSettingsForm<P extends Part>(part: P, saved: Settings[P]): SettingsForm<P> {
  type Draft = Partial<Settings[P]>;
  const [{ draft, round }, setForm] = useState<{ draft: Draft; round: number }>({ draft: {}, round: 0 });
  const save = useAction('settings.update');
  /** Ends the draft. What the owner has changed since it was `ended` stays a draft. */
  const settle = (ended: Draft) =>
    setForm((now) => {
      const newer = Object.entries(now.draft).filter(([name, value]) => value !== ended[name as keyof Draft]);
      return {
        draft: Object.fromEntries(newer) as Draft,
        round: newer.length > 0 ? now.round : now.round + 1,
      };
    });
  return {
    shown: { ...saved, ...draft },
    draft,
    round,
    change: (changes) => setForm((now) => ({ ...now, draft: { ...now.draft, ...changes } })),
    submit: (patch = draft, onSaved = () => undefined) =>
      save.mutate(
        { [part]: patch },
        {
          onSuccess: () => {
            settle(draft);
            onSaved();
          },
        },
      ),
    discard: () => {
      settle(draft);
      save.reset();
    },
    save,
    clearError: () => save.reset(),
  };
}
