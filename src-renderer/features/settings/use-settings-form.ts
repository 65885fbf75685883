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
  const [draft, setDraft] = useState<Partial<Settings[P]>>({});
  const [round, setRound] = useState(0);
  const save = useAction('settings.update');
  const startAnew = () => {
    setDraft({});
    setRound((before) => before + 1);
  };
  return {
    shown: { ...saved, ...draft },
    draft,
    round,
    change: (changes) => setDraft((before) => ({ ...before, ...changes })),
    submit: (patch = draft, onSaved = () => undefined) =>
      save.mutate(
        { [part]: patch },
        {
          onSuccess: () => {
            startAnew();
            onSaved();
          },
        },
      ),
    discard: () => {
      startAnew();
      save.reset();
    },
    save,
    clearError: () => save.reset(),
  };
}
