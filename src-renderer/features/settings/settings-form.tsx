import { Fragment, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { settingAreas, type Settings } from '../../../src-main/contract/settings.ts';
import type { Setting } from '../../../src-main/contract/shapes.ts';
import { useAction } from '../../client/queries.ts';
import type { SettingsPage } from '../../routes.ts';
import { Form } from '../../ui/form.tsx';
import { SaveRow, type Saving } from './save-row.tsx';
import { SettingField, type Problem } from './setting-field.tsx';

type Area =
  | 'profile'
  | 'signIn'
  | 'micropub'
  | 'webmention'
  | 'assistants'
  | 'phones'
  | 'desktop'
  | 'site'
  | 'siteFolder';

/** A form for one area of the settings. Changes stay a draft until the owner saves them. */
export interface SettingsForm<A extends Area> {
  readonly area: A;
  /** The saved values, with the draft over them. */
  readonly shown: Settings[A];
  readonly draft: Partial<Settings[A]>;
  /** Rises when the draft is saved or discarded. Inputs with a state of their own take it as their key. */
  readonly round: number;
  /** Whether the owner has tried to save a draft with problems: then the problems are shown. */
  readonly judged: boolean;
  readonly judge: () => void;
  readonly change: (changes: Partial<Settings[A]>) => void;
  /** Saves the draft, or a cleaned-up form of it. `onSaved`: called when the settings are saved. */
  readonly submit: (patch?: Partial<Settings[A]>, onSaved?: () => void) => void;
  /** Returns to the saved values. */
  readonly discard: () => void;
  readonly save: Saving;
  readonly clearError: () => void;
}

/** Holds the draft for one area of the settings. `saved`: its saved values. */
export function useSettingsForm<A extends Area>(area: A, saved: Settings[A]): SettingsForm<A> {
  type Draft = Partial<Settings[A]>;
  const [{ draft, round }, setForm] = useState<{ draft: Draft; round: number }>({ draft: {}, round: 0 });
  const [judged, setJudged] = useState(false);
  const save = useAction('settings.update');
  /** Ends the draft. What the owner has changed since it was `ended` stays a draft. */
  const settle = (ended: Draft) => {
    setJudged(false);
    setForm((now) => {
      const newer = Object.entries(now.draft).filter(([name, value]) => value !== ended[name as keyof Draft]);
      return {
        draft: Object.fromEntries(newer) as Draft,
        round: newer.length > 0 ? now.round : now.round + 1,
      };
    });
  };
  return {
    area,
    shown: { ...saved, ...draft },
    draft,
    round,
    judged,
    judge: () => setJudged(true),
    change: (changes) => setForm((now) => ({ ...now, draft: { ...now.draft, ...changes } })),
    submit: (patch = draft, onSaved = () => undefined) =>
      save.mutate(
        { [area]: patch },
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

interface Props<A extends Area> {
  readonly page: SettingsPage;
  readonly form: SettingsForm<A>;
  /** Why the draft can't be saved, by setting. */
  readonly problems?: { readonly [Name in keyof Settings[A]]?: Problem };
  /** What stands in place of a setting's usual field. */
  readonly fields?: { readonly [Name in keyof Settings[A]]?: ReactNode };
  /** What is saved in place of the draft. */
  readonly tidied?: Partial<Settings[A]>;
  /** Called when the draft is about to be saved, or is discarded. */
  readonly onEnd?: () => void;
  /** What stands above the fields. */
  readonly children?: ReactNode;
}

/** The form of an area: a field for each of its settings, in the order of the table, and the row that saves them. */
export function AreaForm<A extends Area>(props: Props<A>): ReactElement {
  const { page, form, problems = {}, tidied = form.draft, onEnd, children } = props;
  const fields: Readonly<Record<string, ReactNode>> = props.fields ?? {};
  const rows: Readonly<Record<string, Setting>> = settingAreas[form.area];
  const problemOf = (name: string) => (problems as Readonly<Record<string, Problem>>)[name];
  const place = useRef<HTMLDivElement>(null);
  const submit = () => {
    if (Object.keys(rows).every((name) => problemOf(name) === undefined)) {
      onEnd?.();
      form.submit(tidied);
      return;
    }
    // The field may be far from the button.
    flushSync(form.judge);
    const first = place.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    first?.focus();
    first?.scrollIntoView({ block: 'center' });
  };
  return (
    <div ref={place}>
      <Form gap="xl" onSubmit={submit}>
        {children}
        {Object.entries(rows).map(([name, row]) => (
          <Fragment key={name}>
            {name in fields ? (
              fields[name]
            ) : (
              <SettingField
                {...{ page, name, row }}
                value={form.shown[name as keyof Settings[A]]}
                problem={form.judged ? problemOf(name) : undefined}
                onChange={(value) => form.change({ [name]: value } as Partial<Settings[A]>)}
              />
            )}
          </Fragment>
        ))}
        <SaveRow
          changed={Object.keys(form.draft).length > 0}
          save={form.save}
          onDiscard={() => {
            onEnd?.();
            form.discard();
          }}
        />
      </Form>
    </div>
  );
}
