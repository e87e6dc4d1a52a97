import type { Domain } from "./catalogue-schema.ts";

/**
 * The network that ships: some 40 domains under the reserved `.example`, one per field of business, then a few that
 * serve one language, and one that catches what nothing else takes.
 */
export const defaultCatalogue: readonly Domain[] = [
  // Shopping
  domain(
    "stridehouse.example",
    "shoes, footwear, sneakers",
    "boots, sandals, trainers, heels, loafers, slippers, insoles, shoelaces, sole, running shoes, trail shoes, hiking boots, leather, suede, barefoot, shoe size, orthopaedic, cobbler, footbed, ankle",
  ),
  domain(
    "wardrobeedit.example",
    "fashion, clothing, apparel",
    "dress, shirt, jacket, coat, jeans, knitwear, denim, wardrobe, outfit, tailoring, linen, cotton, cashmere, hoodie, swimwear, lingerie, menswear, womenswear, boutique, style, collection, sleeve",
  ),
  domain(
    "goldenhourjewels.example",
    "jewellery, watches",
    "jewelry, ring, necklace, bracelet, earrings, gold, silver, diamond, gemstone, pearl, pendant, engraving, chronograph, watch strap, goldsmith, carat, hallmark, engagement ring",
  ),
  domain(
    "glowcounter.example",
    "skincare, cosmetics, beauty",
    "makeup, serum, moisturiser, moisturizer, lipstick, mascara, fragrance, perfume, cleanser, sunscreen, shampoo, hair, hairdresser, nails, manicure, facial, salon, brow, skin, acne, retinol",
  ),
  domain(
    "circuitshelf.example",
    "consumer electronics, gadgets, computers",
    "laptop, phone, smartphone, tablet, headphones, earbuds, speaker, camera, television, charger, battery, keyboard, monitor, game console, drone, wearable, smartwatch, USB, bluetooth, refurbished, screen",
  ),
  domain(
    "roomandgrain.example",
    "furniture, interior design, home decor",
    "sofa, table, chair, desk, bed, mattress, shelf, wardrobe, lamp, rug, curtain, cushion, oak, walnut, upholstery, living room, bedroom, lighting, wallpaper, vase, bookcase",
  ),
  domain(
    "potandtrellis.example",
    "gardening, houseplants",
    "garden, plant, seed, soil, compost, lawn, mower, greenhouse, bulb, perennial, rose, vegetable patch, pruning, raised bed, flowerpot, plant nursery, hedge, irrigation, watering, landscaping, patio",
  ),
  domain(
    "tailandwhisker.example",
    "pets, dogs, cats",
    "puppy, kitten, leash, kennel, grooming, veterinary, vet, aquarium, rabbit, hamster, litter, treats, dog collar, chew, dog walking, boarding, adoption, breed, flea, pet food, paw",
  ),
  domain(
    "tinyfootsteps.example",
    "babies, parenting, toys",
    "newborn, toddler, pregnancy, pram, stroller, crib, nappy, diaper, baby bottle, breastfeeding, nursery, lullaby, playpen, car seat, kids, children, puzzle, doll, wooden blocks, midwife",
  ),
  domain(
    "pageturners.example",
    "books, stationery",
    "novel, author, bookshop, paperback, hardcover, reading, fiction, poetry, ebook, audiobook, publisher, bestseller, notebook, pen, planner, journal, fountain pen, ink, bookmark, literature, chapter",
  ),

  // Food and drink
  domain(
    "thelongtable.example",
    "restaurants, dining, catering",
    "menu, chef, dinner, lunch, brunch, tasting menu, table reservation, bistro, cuisine, wine list, buffet, banquet, private dining, terrace, pizza, sushi, steak, tapas, takeaway, dishes, kitchen",
  ),
  domain(
    "slowroastclub.example",
    "coffee, tea",
    "espresso, roast, roaster, beans, arabica, filter, coffee grinder, barista, brew, latte, cappuccino, decaf, pour over, cafe, matcha, teapot, green tea, single origin, cold brew, crema",
  ),
  domain(
    "cellarandcask.example",
    "wine, beer, spirits",
    "winery, vineyard, bottle, red wine, white wine, champagne, sommelier, brewery, craft beer, ale, lager, whisky, gin, distillery, cocktail, cellar, grape, vintage, hops, cask, tasting",
  ),
  domain(
    "pantrypost.example",
    "groceries, meal kits, recipes",
    "grocery, food, organic, vegetables, fruit, bread, bakery, cheese, butcher, meat, cooking, ingredients, meal box, vegan, gluten free, pantry, olive oil, spices, snacks, farm, chocolate, sourdough",
  ),

  // Travel and leisure
  domain(
    "farpointtravel.example",
    "travel, holidays, tours",
    "trip, vacation, itinerary, flight, destination, island, beach, cruise, safari, tour guide, city break, backpacking, passport, visa, luggage, adventure, sightseeing, travel agent, getaway, excursion",
  ),
  domain(
    "quietkeyhotels.example",
    "hotels, holiday rentals, accommodation",
    "room, suite, resort, guesthouse, hostel, apartment, cottage, cabin, villa, breakfast, check in, swimming pool, spa, sea view, overnight stay, nights, bed and breakfast, campsite, glamping, guests",
  ),
  domain(
    "summitandstream.example",
    "outdoor sports, camping, hiking",
    "tent, backpack, trail, mountain, climbing, kayak, canoe, ski, snowboard, surf, rope, sleeping bag, camping stove, trekking, bouldering, fishing, hike, peak, paddle, wetsuit, compass",
  ),
  domain(
    "chainandcog.example",
    "cycling, bicycles",
    "bike, ebike, cyclist, saddle, helmet, gravel bike, road bike, mountain bike, pedal, tyre, wheel, derailleur, bike frame, handlebar, brake, commuter, cargo bike, puncture, bike repair, bike hire",
  ),
  domain(
    "tempoandtreble.example",
    "music lessons, musical instruments",
    "guitar, piano, violin, drums, singing, choir, band, orchestra, concert, song, amplifier, strings, vinyl, recording studio, saxophone, chord, microphone, ukulele, record, musician",
  ),
  domain(
    "doorsopenevents.example",
    "events, tickets, conferences",
    "festival, exhibition, venue, speaker, summit, meetup, stage, line up, concert, expo, trade fair, keynote, workshop, networking, attendees, early bird, programme, doors open, talks, panel",
  ),
  domain(
    "vowsandvine.example",
    "weddings, wedding planning",
    "bride, groom, ceremony, wedding reception, engagement, bouquet, florist, venue, bridesmaid, honeymoon, veil, invitation, wedding cake, marquee, vows, wedding dress, planner, couple",
  ),
  domain(
    "framelightstudio.example",
    "photography, video production",
    "photographer, photo, portrait, camera, lens, photo shoot, studio, headshot, film, editing, videographer, album, prints, drone footage, retouching, family portrait, product photography",
  ),

  // Health and body
  domain(
    "wellpathclinic.example",
    "healthcare, medical clinic",
    "doctor, patient, appointment, health, treatment, physiotherapy, surgery, nurse, diagnosis, vaccination, blood test, specialist, dermatology, allergy, pain, consultation, pharmacy, medicine, check up, GP",
  ),
  domain(
    "brightmolar.example",
    "dentistry, orthodontics",
    "dentist, dental, teeth, tooth, implant, crown, whitening, braces, aligners, gum, hygienist, root canal, filling, oral, smile, veneers, denture",
  ),
  domain(
    "corestrength.example",
    "fitness, gym, personal training",
    "workout, trainer, exercise, strength, muscle, weights, dumbbell, kettlebell, treadmill, cardio, pilates, fitness class, membership, protein, marathon, running coach, stretching, reps, athlete, body fat",
  ),
  domain(
    "stillwatermind.example",
    "mental health, therapy, meditation",
    "therapist, counselling, psychologist, anxiety, depression, stress, burnout, mindfulness, yoga, breathing, sleep, retreat, wellbeing, grief, couples therapy, relaxation, self care, trauma",
  ),

  // Money and law
  domain(
    "ledgerandco.example",
    "accounting, bookkeeping, tax",
    "accountant, tax return, VAT, invoice, payroll, bookkeeper, audit, ledger, self assessment, sole trader, expenses, receipts, year end, financial statements, HMRC, deduction, filing, freelancer",
  ),
  domain(
    "harbourmoney.example",
    "personal finance, banking, investing",
    "bank account, savings, loan, mortgage, credit card, interest rate, pension, investment, fund, portfolio, shares, ETF, debt, budget, retirement, wealth, broker, remortgage, APR, ISA",
  ),
  domain(
    "umbrellacover.example",
    "insurance",
    "insurance policy, cover, premium, claim, insurer, quote, liability, life insurance, car insurance, home insurance, travel insurance, deductible, excess, accident, underwriting, pet insurance, renewal",
  ),
  domain(
    "counselgate.example",
    "law firm, legal advice",
    "lawyer, solicitor, attorney, court, contract, dispute, divorce, custody, probate, conveyancing, employment law, immigration, litigation, trademark, notary, compensation, injury claim, tribunal",
  ),

  // Home, trades and vehicles
  domain(
    "keystonehomes.example",
    "real estate, property",
    "house, apartment, flat, for sale, rent, landlord, tenant, letting, estate agent, valuation, viewing, mortgage, bedrooms, square feet, realtor, listing, home buyer, seller, condo, new build",
  ),
  domain(
    "fixflowtrades.example",
    "plumbing, heating, electrical repairs",
    "plumber, boiler, leak, pipe, drain, tap, radiator, electrician, wiring, socket, fuse, heat pump, bathroom, emergency callout, gas engineer, air conditioning, rewiring, thermostat, blocked",
  ),
  domain(
    "timberandtile.example",
    "home renovation, building contractor, roofing",
    "builder, renovation, kitchen, bathroom, extension, loft conversion, roof, roofer, tiles, carpenter, joinery, plastering, painting, decorator, flooring, insulation, scaffolding, brick, driveway, solar panels",
  ),
  domain(
    "freshnestclean.example",
    "cleaning services, removals, storage",
    "cleaner, house cleaning, carpet, window cleaning, deep clean, end of tenancy, housekeeping, laundry, ironing, moving house, movers, van, packing boxes, self storage, declutter, junk removal, stain",
  ),
  domain(
    "torqueyard.example",
    "cars, car repair, vehicles",
    "auto, garage, mechanic, engine, tyre, brake, oil change, MOT, used cars, dealership, test drive, electric car, EV charging, motorcycle, van, lease, mileage, hybrid, exhaust, bodywork",
  ),

  // Work and learning
  domain(
    "cloudloom.example",
    "SaaS, business software, developer tools",
    "software, app, platform, API, dashboard, integration, cloud, automation, CRM, workflow, data analytics, deployment, hosting, cyber security, startup, developers, code, database, AI, onboarding",
  ),
  domain(
    "brandlantern.example",
    "digital marketing, advertising, web design",
    "SEO, website, campaign, social media, branding, marketing agency, content marketing, newsletter, conversion, audience, copywriting, logo, ads, PPC, landing page, influencer, leads, ecommerce",
  ),
  domain(
    "talentbridge.example",
    "jobs, recruitment, careers",
    "hiring, vacancy, CV, resume, interview, recruiter, candidate, employer, salary, apprenticeship, internship, remote work, staffing, headhunter, job application, HR, graduate, shifts",
  ),
  domain(
    "lanternacademy.example",
    "education, online courses, tutoring",
    "lesson, tutor, teacher, student, school, university, exam, degree, certificate, learn, language course, classroom, maths, bootcamp, homework, scholarship, diploma, curriculum, training course",
  ),

  // Community
  domain(
    "givebackhub.example",
    "charity, fundraising, volunteering",
    "donate, donation, nonprofit, volunteer, fundraiser, appeal, community, refugees, shelter, food bank, foundation, sponsor, good cause, relief, wildlife, conservation, climate, grant, petition",
  ),

  // One language each; the broad subjects of a small national portal
  {
    ...domain(
      "marktplatz-sued.example",
      "Angebote, Handwerker, Urlaub",
      "kaufen, günstig, Schuhe, Möbel, Wohnung, Küche, Garten, Werkstatt, Versicherung, Steuerberater, Zahnarzt, Ferienwohnung, Gutschein, Termin, Beratung, Lieferung, Rabatt, Kurs, Arzt, Geschenk",
    ),
    locale: "de",
  },
  {
    ...domain(
      "mercado-vivo.example",
      "ofertas, servicios, viajes",
      "comprar, barato, zapatos, muebles, piso, cocina, jardín, taller, seguro, abogado, dentista, vacaciones, descuento, cita, envío gratis, curso, médico, regalo, tienda, casa",
    ),
    locale: "es",
  },
  {
    ...domain(
      "grand-bazar.example",
      "offres, artisans, voyages",
      "acheter, chaussures, meubles, maison, appartement, cuisine, jardin, assurance, avocat, dentiste, vacances, réduction, rendez-vous, livraison, cours, médecin, cadeau, boutique, devis, bijoux",
    ),
    locale: "fr",
  },
  {
    ...domain(
      "machikado.example",
      "通販, 旅行, サービス",
      "購入, 予約, 送料無料, ホテル, 温泉, 靴, 家具, 保険, 歯科, 求人, 講座, 料理, コーヒー, 車, 引越し, 不動産, 割引, 無料体験, 美容, ギフト",
    ),
    locale: "ja",
    catchAll: true,
  },
  {
    ...domain(
      "souq-alhay.example",
      "عروض, خدمات, سفر",
      "شراء, تسوق, فندق, رحلة, أحذية, أثاث, شقة, تأمين, طبيب, أسنان, دورة, مطعم, قهوة, سيارات, وظائف, خصم, هدية, عيادة, محامي, توصيل",
    ),
    locale: "ar",
    catchAll: true,
  },

  // Everything else
  { name: "openboulevard.example", topics: [], keywords: [], catchAll: true },
];

/** A domain with its topics and keywords as lists separated by commas. */
function domain(name: string, topics: string, keywords: string): Domain {
  return { name, topics: topics.split(", "), keywords: keywords.split(", ") };
}
