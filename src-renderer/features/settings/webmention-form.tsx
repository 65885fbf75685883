import { Radio, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { hostTyped } from '../../ui/host.ts';
import { FormFrame } from './form-frame.tsx';
import { useSettingsForm } from './use-settings-form.ts';

const holdWords = {
  nothing: {
    label: 'Nothing',
    description: 'Every mention is shown at once. You can hide or delete it later.',
  },
  strangers: {
    label: 'Mentions from sites that are new to you',
    description: 'Sites that you trust, or of which you approved one before, are shown at once.',
  },
  everything: { label: 'Every mention', description: 'Nothing is shown before you approve it.' },
} satisfies Record<Settings['webmention']['hold'], object>;

/** Which mentions wait for the owner, who is trusted, and where older ones come from. */
export function WebmentionForm({ webmention }: { webmention: Settings['webmention'] }): ReactElement {
  const form = useSettingsForm('webmention', webmention);
  const [judged, setJudged] = useState(false);
  const { shown, change } = form;
  const aggregatorProblem = isWebAddress(shown.aggregatorUrl)
    ? undefined
    : 'It has to be a web address that starts with https:// (or http://).';
  const trustedProblem = problemOf(shown.trustedDomains);
  const hostsProblem = problemOf(shown.hosts);

  const submit = () => {
    const sound = [aggregatorProblem, trustedProblem, hostsProblem].every((problem) => problem === undefined);
    setJudged(!sound);
    if (sound) form.submit();
  };
  const discard = () => {
    form.discard();
    setJudged(false);
  };

  return (
    <FormFrame form={form} onSubmit={submit} onDiscard={discard}>
      <Radio.Group
        label="What waits for your approval"
        value={shown.hold}
        onChange={(hold) => change({ hold })}
      >
        <Stack gap="xs" mt={6}>
          {Object.entries(holdWords).map(([value, words]) => (
            <Radio key={value} value={value} color="var(--porchlight-tick)" {...words} />
          ))}
        </Stack>
      </Radio.Group>
      <TagsInput
        label="Sites that you trust"
        description="Their mentions are shown at once where those from strangers wait. Sites under them count too. Enter adds one."
        placeholder={shown.trustedDomains.length === 0 ? 'friend.example, …' : undefined}
        value={shown.trustedDomains}
        maxTags={10_000}
        acceptValueOnBlur
        error={judged && trustedProblem}
        onChange={(typed) => change({ trustedDomains: sitesOf(typed) })}
      />
      <TagsInput
        label="Other sites of yours"
        description="Pages of your own site can be mentioned anyway. Add sites whose mentions come here too."
        placeholder={shown.hosts.length === 0 ? 'photos.example, …' : undefined}
        value={shown.hosts}
        maxTags={100}
        acceptValueOnBlur
        error={judged && hostsProblem}
        onChange={(typed) => change({ hosts: sitesOf(typed) })}
      />
      <TextInput
        label="Where mentions are imported from"
        description="https://webmention.io, or a server that speaks as it does."
        type="url"
        maxLength={2048}
        value={shown.aggregatorUrl}
        error={judged && aggregatorProblem}
        onChange={(event) => change({ aggregatorUrl: event.currentTarget.value.trim() })}
      />
      <Switch
        label="Catch up when Porchlight starts"
        description="Asks there for what came while this computer was off, once you have imported from there. Once a week, what is gone there goes here too; where that is much, you are only told."
        checked={shown.catchUp}
        onChange={(event) => change({ catchUp: event.currentTarget.checked })}
      />
    </FormFrame>
  );
}

/** As sites are kept, each once; what is none stays as it was typed, for the owner to mend. */
function sitesOf(typed: readonly string[]): string[] {
  return [...new Set(typed.map((one) => hostTyped(one) ?? one.trim()).filter((one) => one !== ''))];
}

function problemOf(sites: readonly string[]): string | undefined {
  const wrong = sites.find((site) => hostTyped(site) === undefined);
  return wrong === undefined
    ? undefined
    : `“${wrong}” is not the name of a site. It should look like friend.example.`;
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
