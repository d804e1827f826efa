"""Common English words that may open a sentence or a heading with a capital without being a name. Data only.

Our own selection, stemmed when read; given names that are also words (Grace, Mark, Iris …) are left out on purpose.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

from memfold.refine.text.words import stem

_WORDS = """
    data management analysis strategy system report review status feature turn user users task tasks
    note notes memo reminder
    core proposed nutrition breakdown delegation scheme attributes indicators alternating identity fyi ai tv pc id pr ci cv ui diy ooh
    woah whoa draft operational kickoff summary agenda recap template rollout pitch insight badge tag dob costume mileage national aw aww
    awww oops woohoo woo yikes phew whew huh hmm oof boo yum mwah hihi hahaha hehe merry xmas etc pic pics vid vids faq ps nb todo done
    wip na ok about above absolutely accept accomplishment according accountability achieve acknowledge acting action actionable activate
    active actually adapt add address adjust admire admit adoption adorable adventures advice advised affordable afraid after afterwards
    again against agency agent agents agile agility agree agreed ai aim aiming air alert all allergic allergies allotment allow almonds
    almost already alright also although always am amazing among amount an and animals announce another answer anticipating antioxidants
    any anything anytime anyway apart apparently apples appointment appraisal appreciate april are areas around arrange arrive artists as
    asap ask assignments assistant at ate attempt attend aunt automated autumn availability available avoid awake awesome axis baby back
    backups bad bake bakery balance banana band based basketball bath bathroom battery bday be beans beautiful because becoming bedtime
    beef been bees before begin behind being believe benefits berries besides best bet between beyond big bike bill binary biopsy bird
    birth birthday bit black bleach blend blessed blogging blood blow blue board boat boiler bold book bookings boots bored borrow boss
    bot both bottle bought bowl box boyfriend brain brainstorm brake brand brave brb break breakfast breath breathe briefly bright bring
    broke broken brother brought brown brushing btw bucket buddy budget bug building built bummer bus busy but button buy by bye cabin
    cafe caffeine cake called calm came camera camping campsites can cancel candles capturing car card careful carpet carrot carry case
    cash cashback cat catch cats causes celebrate cellar cello central certain chair challenges change chaos characters charge charts
    chasing chat cheap checking cheers cheese chef cherish chess chicken child children chili chocolate choir choose choosing chosen
    christmas church cinnamon city class classic classical clay clean clear clever client climate climbing clinic closed closer clothes
    cloud co coach coat coconut code coding coffee cold collaborating collaboration collaborative colleague collect colour combining come
    comes comfort commit common communicate community commute companionship company compared comparison compatible competing competitive
    complete components comprehensive computer concept concern concert conclusion concrete conference confidence confident confirmed
    confused congrats congratulations connect considering consistency consistent consumers consuming contact contains contemporary content
    context continue contract control convention conversations cook cooking cool coordinating cope copying corn correct cost could count
    countries cousin coverage cozy cravings crazy create creativity crispy critical cron cross cuddling cupboard currently curtains custom
    customer customers customized cut cute cycle cycling dad daily dairy damn damp dance dataset date daughter deadline deadlines deal
    dear death debts december decide decision dedicated dedication deep default definitely delivery demonstrate dentist depending depends
    deploy deposit describe designed desired desk despite destination detailed determined develop devices did different difficult digging
    dinner dip direct dirt disclose discouraged discover discuss discussion dishwasher dislikes display distractions diversity divorce do
    doctor document does doesn dog doggy dogs doing domestic don doors double dough download dr dramas drawing dreams dress drink drive
    driver drop drums dry dude due durable during dynamic each eager early earn easier easy eat education educational eggs eight either
    eleven eliminate em email embracing emergency emerging emphasize empowering enabled encouraged engaging engineering enhanced enjoy
    enjoyment enough ensure epic episodes error escape especially essential establishing estimate evaluated even evening events ever every
    everybody everyday everyone everything everywhere exactly exam example excellent excited exercise exhibit expect expenses experience
    experimenting expert expired exploring exposure express expression external extra extreme fabric facilitate facing fact facts fail
    failing fair fall family fantasy farm fascinated fasting father favorite favourite fear features february fee feed feedback feeds feel
    fees fell felt female fence ferry festival few fewer field fifteen figure files fill film final find fine fingers finished fire
    firmware first fishing fits five fix fixed flag flashcard flat flavored flexibility flexible flicker flight flip flood floor flowers
    flu fly foam focusing folks following foods foot for forecast forgot forty found foundation four free freeze frequent fresh friday
    fridge friends friendship from frozen fruit frustrating fuel fulfilling full fully function funds funny furniture future fyi gaining
    game garage garden garlic garnish gas gave gear gender generally generate generations genres gentle gently get gift girl girlfriend
    git give given glad glass glasses glaze global go going gone gonna good goodbye gorgeous gosh got gotta government gradually gran
    grandad grandfather grandma grandmother grandson granola graphics grateful grease great greater green greenhouse grew grilled grocery
    grooming gross group growing guaranteed guess guest guidance guided guitar guys gym ha habitat had haha hair half hall hand handed
    handling hang happy harbour hard has hated hats have haven he health healthy heard hearing heart heat heater hello helmet helps hens
    her here hey hi hide high highlight hiking hire his historical hiya hmm hobbies holding holistic home homemade homework honestly
    hooked hope hopefully horses hospital host hot hour house how however huh human humanitarian humor husband hut ideal ideas identify
    idk if ill imagine immediate imo impact implementing important impressed impressive improve improvement in inc includes income
    incorporating increase incredible indeed independence industry inform information inherited initially initiatives injury ink insights
    inspiring instead instructor insurance insurer integrating integrity intensity interaction interest internal internet internship
    interval interviews introduce investing investment investors invited invoice invoices involve is issues it its jacket jam january
    jealous job join joint jokes journal judging juggling juice july jumping june just kayaking keen keep kept key kick kid kids kiln kind
    kinda kitchen kitten knee knew knife knitting knowing known label lack lamp landed landing landlord language laptop larger last lately
    later latest laugh laughter launch lawyer layer lead leader leadership leaks learn lease leashes leave lecture left legal lemon lend
    less lessons let letter level leveraging library licence lie life light lighter like limited line linear listening little live load
    loaf loans local located locked lockers logging login lol long looking loop losing lost lots love loves low lower ltd lucky luxury
    made maid mail main maintain major make makes man manager manually manufacturer many maps marathon maritime marriage mate materials
    maths maximize maximum maybe me meal means measure meat medal medicine meditation meeting meetings members membership memories mental
    mention mentoring mentorship menu message met metal mid milestone milk mind mindfulness mine minimal minimum minutes missing mistakes
    mix mm models modern mom moments monday money monitoring month monthly moral more morning mornings mortgage most mother motivated move
    moved movie mr mrs ms much multiple mum mummy music must mustard mutual my nah nail name named narrative nature nearby need negative
    neighbors neighbour nephew nephews nervous net networking never new next nice niece night nine no nobody noise non nope nostalgic not
    notebook notes nothing notifications november now number nurse nursery nutritional nuts nylon oats objective observations observe
    obstacles october of off offer office officially oh oil ok okay old omg on once one ongoing online only open operating opinion opt
    optimize or order organization organizing others otherwise our out outage oven over overall overcoming overnight owes own owner owning
    pack package paid paint painting pair pal pancake paper parents parking part participate partner party pass passport password past
    patch patience patient pay paying peaceful pen pendant penicillin people perfect performance performing perseverance persistence
    personal pets phone photo photography physical physio piano picked pictures pill pineapple pipe pizza place plain plan plane plans
    plant plate platforms playing please pleased plot pls plug plumber plus poetry police policy political pool poor popcorn portion
    positive possibly post poster posting pot potential pottery pour power practice precision prefers pregnant prepare prepping
    prescription present presentation presses pretty previously price pride primary print printer prior prioritize priority problem
    process produce product professional profound programming progress progression project promised promoting prompts proof proper
    protecting proud provide pub pulse pumpkin pupil purchase purpose pursuing put puzzle quality quarterly query quest question queue
    quick quilt quit quite quiz quote race radiation radiator rain rainbow raised ran rapid rather rating re reach read reading ready
    really reason receipt receipts receive recently recharge recommend recommendation record recover recurring red reduce reduction
    reflect reflection refuses regarding regional regular rehearsal rehearse rejection relationships relax release relief remaining
    remember reminder reminds remove renewed renovate rent renting repair repeated replace reports representation representing required
    research resort resources respect respond responsibility rest restart restoring result return reviewing revise rewrite ride right ring
    risks river road roasting robotics rock role roll romantic roof room roommate root rope roses rough route rules run sad safe salads
    salary sales same sample sandals sandwich saturday sauce saved saves savings saw say scales scanning scared schedule scheduled school
    scoop script sea search season seasonal seat second secondary section see seek seems seen select sell sells sending sensor sent
    september serve server session set setbacks seven several shame shape share she shed shell shelter ship shirt shirts shoes shop
    shopping should show shower shut shy sick sign signed silence similar simmer simple simply since single sink sister sitting sixteen
    sixth size skateboarding skiing skilled skis sleek sleep slept slice slow small smell smokes smoking smooth smoothie snacking snow so
    soak social socializing socks sofa soft solar sold solid some somebody someday someone something sometimes somewhere son song soon
    sore sorry sounds soup spare speaker speaking special specific specifically spending spent spicy spinner spoke sports spreading
    sprinkle squeeze staging stairs stakes stamp standing start stay steak steamed steps stick still stir stock stolen stop store stories
    storytelling strain strategy streamlined strength strengthen stress stressful stretching striving strong stronger structured struggles
    stuck student study stuff subject submission submit subtle success successful such sugar sugary suggested suit suitable summary summer
    sunday sunflower sunset super supervisor supplier support sure surfing surgery surrounding survey sushi sustainability sustainable
    swap sweet swimming swims system table tables tackle tag take talk tape target taste taught taxes taxi tbh tea teacher teaches
    teaching team teamwork tech tell temperature temporal ten tenant tenants tender tennis tent test thanks that the theatre their theme
    then therapy there therefore these thesis they thicker things think thinks third this those though thoughtful thoughts three threw
    through throughout thursday thx ticket tickets till time tiny tired title to today together told tomatoes tomorrow tonight tons took
    tools tooth top topic totally touch tough tournament towel tower toy track trade traditions trail train trainer tram trans
    transforming transgender translated traveling treasure treat trial trigger trip trousers trout truck true trust try tuesday tune
    turned turtles tutorials twelve twice twin twist two ty type typically tyre ugh umbrella uncle under understanding understood
    unemployment unforgettable unfortunately unhealthy uni unique unit unknown unlike unreal up update upgrade uplifting upon upstairs
    urban used user users using usually vacuum valuable value various vary vegan vegetarian veggies vendor very vet veterans video viewing
    village vinegar vineyard violin visa visit visitor visitors visual visualization vitamin voice volunteering vote wait waiter wake walk
    walls want wants wardrobe warehouse warm warranty was washing waste watching water way we weak wear wears weather website wedding
    wednesday week weekday weekdays weekly weigh weight welcome well went were wet what whatever wheel when whenever where whether which
    while whisk who whole whose why wide wife wifi will windows wine winner winter wireframes wise wish with within without witnessed woke
    women won wonderful wood words wore work worked world worries would wow writer writes writing wrong wrote yay yeah year yearly yellow
    yep yes yesterday yet yoga yogurt you young your yup
"""


@lru_cache(maxsize=1 << 14)
def is_common(word: str) -> bool:
    """Whether the lower-case word, or another form of it, is in the list."""
    return word in COMMON or stem(word) in COMMON


class _Stemmed:
    """The words and their stems, made when first asked."""

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(form for word in _WORDS.split() for form in (word, stem(word)))

    def __contains__(self, word: str) -> bool:
        return word in self.words


COMMON = _Stemmed()
