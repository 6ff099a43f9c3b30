"""Irregular pasts of English, for words that a dictionary lemmatizer has never seen."""

from __future__ import annotations

# a verb, then its past and its participle where they differ from it
_VERBS = """
arise arose arisen, awake awoke awoken, bear bore borne, become became, begin began begun, bend bent,
bind bound, bite bit bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring brought,
build built, burn burnt, buy bought, catch caught, choose chose chosen, cling clung, come came, creep crept,
deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten,
fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled, fling flung, fly flew flown,
forget forgot forgotten, forgive forgave forgiven, freeze froze frozen, get got gotten, give gave given,
go went gone, grind ground, grow grew grown, hang hung, have had, hear heard, hide hid hidden, hold held,
keep kept, kneel knelt, know knew known, lay laid, lead led, lean leant, leap leapt, learn learnt, leave left,
lend lent, lie lain, light lit, lose lost, make made, mean meant, meet met, pay paid, ride rode ridden,
ring rang rung, rise rose risen, run ran, say said, see saw seen, seek sought, sell sold, send sent,
shake shook shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk,
sit sat, sleep slept, slide slid, sling slung, smell smelt, sow sown, speak spoke spoken, speed sped,
spell spelt, spend spent, spill spilt, spin spun, spit spat, spring sprang sprung, stand stood,
steal stole stolen, stick stuck, sting stung, stride strode stridden, strike struck, string strung,
strive strove striven, swear swore sworn, sweep swept, swim swam swum, swing swung, take took taken,
teach taught, tear tore torn, tell told, think thought, throw threw thrown, understand understood,
wake woke woken, wear wore worn, weave wove woven, weep wept, win won, wind wound,
withdraw withdrew withdrawn, write wrote written
"""
PASTS = {
    past: verb for entry in _VERBS.split(",") for verb, *pasts in [entry.split()] for past in pasts
}

AUXILIARIES = {
    form: lemma
    for lemma, forms in (
        ("be", "am is are was were been being"),
        ("have", "has had"),
        ("do", "does did"),
    )
    for form in forms.split()
}
