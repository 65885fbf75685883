import { NumberInput, Switch, TagsInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { crossPostingServices } from '../../../src-main/contract/posts.ts';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { FormFrame } from './form-frame.tsx';
import { areSound, isBridge, type NamedRow, trimmed } from './named-row.ts';
import { NamedRows } from './named-rows.tsx';
import { postingWords as words } from './publishing-words.ts';
import { settingProps } from './setting-props.ts';
import { useSettingsForm } from './use-settings-form.ts';

type MicropubSettings = Settings['micropub'];

const setting = settingProps('posting', words.settings);

const rowProps = ({ one, uid, placeholder }: Record<'one' | 'uid' | 'placeholder', string>) => ({
  one,
  uidLabel: uid,
  uidPlaceholder: placeholder,
});

const megabyte = 1_000_000;
const largest = 1_000_000;

/** Returns the targets of the form and, if it is on, Bridgy Fed, which the form doesn't show. */
function withBridge(rows: readonly NamedRow[], { syndicateTo }: MicropubSettings): NamedRow[] {
  return rows.some(isBridge) ? [...rows] : [...rows, ...syndicateTo.filter(isBridge)];
}

/** Sets what Porchlight offers to apps that post, and what they may upload. */
export function PostingForm({ micropub }: { micropub: MicropubSettings }): ReactElement {
  const form = useSettingsForm('micropub', micropub);
  const [judged, setJudged] = useState(false);
  const [limitMissing, setLimitMissing] = useState(false);
  const { shown, draft, change } = form;

  const submit = () => {
    const sound = areSound(shown.channels) && areSound(shown.syndicateTo) && !limitMissing;
    setJudged(!sound);
    if (!sound) return;
    form.submit({
      ...draft,
      ...(draft.channels && { channels: trimmed(draft.channels) }),
      ...(draft.syndicateTo && { syndicateTo: withBridge(trimmed(draft.syndicateTo), micropub) }),
    });
  };
  const discard = () => {
    form.discard();
    setJudged(false);
    setLimitMissing(false);
  };

  return (
    <FormFrame form={form} unsound={limitMissing} onSubmit={submit} onDiscard={discard}>
      <TagsInput
        {...setting('categories')}
        placeholder={shown.categories.length === 0 ? words.exampleCategories : undefined}
        value={shown.categories}
        maxTags={10_000}
        acceptValueOnBlur
        onChange={(categories) =>
          change({
            categories: categories.map((one) => one.trim().slice(0, 200)).filter((one) => one !== ''),
          })
        }
      />
      <NamedRows
        {...setting('channels')}
        {...rowProps(words.channel)}
        rows={shown.channels}
        description={words.settings.channels.about}
        judged={judged}
        onChange={(channels) => change({ channels })}
      />
      <NamedRows
        {...setting('syndicateTo')}
        {...rowProps(words.target)}
        rows={draft.syndicateTo ?? shown.syndicateTo.filter((row) => !isBridge(row))}
        offers={crossPostingServices.filter((row) => !isBridge(row))}
        description={words.settings.syndicateTo.about}
        judged={judged}
        onChange={(syndicateTo) => change({ syndicateTo })}
      />
      <NumberInput
        key={form.round}
        {...setting('mediaLimitBytes')}
        maw={360}
        min={0.01}
        max={largest}
        decimalScale={2}
        allowNegative={false}
        thousandSeparator=" "
        clampBehavior="blur"
        defaultValue={shown.mediaLimitBytes / megabyte}
        error={judged && limitMissing ? words.limitMissing : undefined}
        onChange={(amount) => {
          const sound = typeof amount === 'number' && amount > 0 && amount <= largest;
          setLimitMissing(!sound);
          if (sound) change({ mediaLimitBytes: Math.round(amount * megabyte) });
        }}
      />
      <Switch
        {...setting('removePhotoMetadata')}
        checked={shown.removePhotoMetadata}
        onChange={(event) => change({ removePhotoMetadata: event.currentTarget.checked })}
      />
    </FormFrame>
  );
}
